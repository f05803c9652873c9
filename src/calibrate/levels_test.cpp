// SPDX-License-Identifier: Apache-2.0
#include "calibrate/levels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::calibrate {
namespace {

// Twice as slow at 16 bytes, eight times at 256 bytes: half way by ratio it is four times, and constant
// beyond the ends.
TEST(Levels, AreStraightBetweenLogarithms) {
  Levels levels;
  levels.add(3, 16, 2), levels.add(3, 256, 8);
  EXPECT_NEAR(levels.of(3, 64)->ratio, 4, 1e-12);
  EXPECT_NEAR(levels.of(3, 64)->unsure, std::log(2), 1e-12);
  EXPECT_NEAR(levels.of(3, 16)->ratio, 2, 1e-12);
  EXPECT_EQ(levels.of(3, 16)->unsure, 0);
  EXPECT_NEAR(levels.of(3, 0)->ratio, 2, 1e-12);
  EXPECT_NEAR(levels.of(3, 4096)->ratio, 8, 1e-12);
  EXPECT_EQ(levels.of(3, 4096)->unsure, 0);
}

TEST(Levels, OfAnOccasionThatMeasuredNothingSayNothing) {
  Levels levels;
  levels.add(0, 8, 1.5);
  EXPECT_FALSE(levels.of(1, 8));
  EXPECT_NEAR(levels.of(0, 1 << 20)->ratio, 1.5, 1e-12);
}

}  // namespace
}  // namespace parcast::calibrate
