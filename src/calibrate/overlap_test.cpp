// SPDX-License-Identifier: Apache-2.0
#include "calibrate/overlap.h"

#include <gtest/gtest.h>

namespace parcast::calibrate {
namespace {

TEST(Overlap, IsThePartOfTheShorterThatIsHidden) {
  EXPECT_DOUBLE_EQ(overlap_of(4, 4, 8), 0);  // one after the other
  EXPECT_DOUBLE_EQ(overlap_of(4, 4, 4), 1);  // at once
  EXPECT_DOUBLE_EQ(overlap_of(4, 4, 5), 0.75);
  EXPECT_DOUBLE_EQ(overlap_of(4, 8, 10), 0.5);  // 2 of the 4 of the transfer
  EXPECT_DOUBLE_EQ(overlap_of(8, 4, 10), 0.5);  // 2 of the 4 of computing
}

TEST(Overlap, KeepsWhatNoiseMakesOfIt) {
  EXPECT_DOUBLE_EQ(overlap_of(4, 4, 9), -0.25);
  EXPECT_DOUBLE_EQ(overlap_of(4, 4, 3), 1.25);
}

}  // namespace
}  // namespace parcast::calibrate
