// SPDX-License-Identifier: Apache-2.0
#include "calibrate/remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::calibrate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// One process and two processes on two cores, without any reason for a remark.
std::vector<Measurements> quiet() {
  Measurements one, two;
  one.processes = 1, one.bound = {1, 1};
  one.values = {{"core_speed", 2e9, 1e7, 9}, {"core_speed", 2.02e9, 1e7, 9}};
  two.processes = 2, two.bound = {2, 2};
  two.points = {{"message-core", 2, 8, 1e-6, 1e-8, 99},
                {"broadcast", 2, 8, 1e-6, 1e-8, 99},
                {"broadcast", 2, 16, 1e-6, 1e-8, 99},
                {"barrier", 2, 0, 1e-6, 5e-7, 99},
                {"scan", 2, 8, 1e-6, 1e-8, 99}};
  return {one, two};
}

TEST(Remarks, NothingIsSaidOfAQuietMachine) {
  EXPECT_THAT(remarks(quiet()), IsEmpty());
}

TEST(Remarks, ProcessesThatShareACoreAreSaid) {
  auto launches = quiet();
  launches[1].bound = {2, 1};
  ASSERT_THAT(remarks(launches), SizeIs(1));
  EXPECT_THAT(remarks(launches)[0].what, HasSubstr("2 processes of a node shared one core"));
  EXPECT_THAT(remarks(launches)[0].hint, HasSubstr("--bind-to core"));
  launches[1].bound = {8, 4};
  EXPECT_THAT(remarks(launches)[0].what, HasSubstr("8 processes of a node shared 4 cores"));
  launches[1].bound = {8, 0};  // unknown
  EXPECT_THAT(remarks(launches), IsEmpty());
}

TEST(Remarks, ASpeedThatChangedByMoreThanItsErrorsIsSaidWithBoth) {
  auto launches = quiet();
  launches[0].values[1].value = 1.5e9;
  ASSERT_THAT(remarks(launches), SizeIs(1));
  EXPECT_THAT(
      remarks(launches)[0].what,
      HasSubstr("2.00 G operations/s at the beginning of a launch and 1.50 G operations/s at its end"));
  launches[0].values[1].standard_error = 4e8;
  EXPECT_THAT(remarks(launches), IsEmpty());
}

TEST(Remarks, NoiseIsSaidWhereAQuarterOfThePointsIsWide) {
  auto launches = quiet();  // one of five points is wide
  launches[1].points[0].standard_error = 2e-7;
  ASSERT_THAT(remarks(launches), SizeIs(1));
  EXPECT_THAT(remarks(launches)[0].what, HasSubstr("40 % of the measured points"));
}

TEST(Remarks, WhatWasNotMeasuredIsSaid) {
  const auto launches = quiet();
  EXPECT_THAT(remarks({launches[0]})[0].what, HasSubstr("messages were not measured"));
  EXPECT_THAT(remarks({launches[1]})[0].what, HasSubstr("one process alone was not measured"));
}

}  // namespace
}  // namespace parcast::calibrate
