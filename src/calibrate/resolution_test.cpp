// SPDX-License-Identifier: Apache-2.0
#include "calibrate/resolution.h"

#include <gtest/gtest.h>

#include <array>

namespace parcast::calibrate {
namespace {

TEST(ClockStep, IsWhatDividesAllDifferences) {
  EXPECT_EQ(clock_step(std::array<std::int64_t, 5>{1000, 1020, 1020, 1050, 1130}), 10);
  EXPECT_EQ(clock_step(std::array<std::int64_t, 4>{7, 29, 50, 73}), 1);
}

TEST(ClockStep, OfAClockThatStandsStillIsNotKnown) {
  EXPECT_EQ(clock_step(std::array<std::int64_t, 3>{5, 5, 5}), 0);
  EXPECT_EQ(clock_step({}), 0);
}

}  // namespace
}  // namespace parcast::calibrate
