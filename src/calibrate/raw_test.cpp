// SPDX-License-Identifier: Apache-2.0
#include "calibrate/raw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::calibrate {
namespace {

std::vector<Measurements> two_launches() {
  Measurements one, two;
  one.processes = 1, two.processes = 2;
  one.values = {{"core_speed", 2e9, 0, 2, {2e9, 2.5e9}}};
  one.notes = {"the end"};
  two.points = {{"message-core", 2, 1024, 7e-7, 0, 3, 0, 0, 1, 0, {7e-7, 6e-7, 9e-4}}};
  two.kept_out = {{"allreduce", 2, 1352, 2e-6, 0, 1, 0, 0, 0, 0, {2e-6}}};
  return {one, two};
}

TEST(RawMeasurements, AreARowPerRepeatInTheirOrder) {
  const auto csv = repeats_csv(raw_text(two_launches()), "store");
  ASSERT_TRUE(csv) << to_string(csv.error());
  EXPECT_EQ(*csv,
            "launch,launched,use,table,processes,bytes,repeat,measured\n"
            "1,1,value,core_speed,1,,1,2e+09\n"
            "1,1,value,core_speed,1,,2,2.5e+09\n"
            "2,2,fit,message-core,2,1024,1,7e-07\n"
            "2,2,fit,message-core,2,1024,2,6e-07\n"
            "2,2,fit,message-core,2,1024,3,9e-04\n"
            "2,2,check,allreduce,2,1352,1,2e-06\n");
}

TEST(RawMeasurements, DamagedAreRefusedWithTheLaunch) {
  std::string raw = raw_text(two_launches());
  const auto cut = repeats_csv(raw.substr(0, raw.size() - 2), "store");
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().where, testing::StartsWith("store, launch 2"));
  EXPECT_FALSE(repeats_csv("something else", "store"));
}

}  // namespace
}  // namespace parcast::calibrate
