// SPDX-License-Identifier: Apache-2.0
#include "report/machine_csv.h"

#include <gtest/gtest.h>

namespace parcast::report {
namespace {

TEST(MachineCsv, HasARowForEachPointAndNothingWhereNothingIsKnown) {
  machine::Machine machine;
  machine::PatternCost pattern;
  pattern.name = "barrier";
  pattern.points = {{2, 0, 1.5e-6, 2e-8, 640, 1.25e-6, 2e-6, 3}, {4, 0, 3e-6, 2e-8, 64}};
  machine.patterns = {pattern};
  machine.working_sets = {{1, 4096, 1e-9, 2e10}, {2, 4096, 0, 1e10}};
  EXPECT_EQ(machine_points_csv(machine),
            "table,processes,bytes,value,unit,standard_error,samples,low_quartile,high_quartile,outliers\n"
            "barrier,2,0,1.5e-06,s,2e-08,640,1.25e-06,2e-06,3\n"
            "barrier,4,0,3e-06,s,2e-08,64,,,\n"
            "load,1,4096,1e-09,s,,,,,\n"
            "stream,1,4096,2e+10,B/s,,,,,\n"
            "stream,2,4096,1e+10,B/s,,,,,\n");
}

}  // namespace
}  // namespace parcast::report
