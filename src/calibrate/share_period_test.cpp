// SPDX-License-Identifier: Apache-2.0
#include "calibrate/share_period.h"

#include <gtest/gtest.h>

namespace parcast::calibrate {
namespace {

TEST(SharePeriod, IsTheTimeForEachStretchWithoutTheProcessor) {
  // A twentieth of a core, renewed every 2 ms, for 100 ms.
  EXPECT_DOUBLE_EQ(share_period(std::vector<double>(50, 1.9e-3), 0.1), 2e-3);
  EXPECT_EQ(share_period({}, 0.1), 0);
}

TEST(SharePeriod, WhatInterruptsForAMomentIsNoPeriod) {
  std::vector<double> gaps(50, 1.9e-3);
  gaps.insert(gaps.begin(), 400, 30e-6);  // interrupts by the system's timer
  EXPECT_DOUBLE_EQ(share_period(gaps, 0.1), 2e-3);
}

/// A gap that was missed, or that is twice as long by chance, changes the result only by its part.
TEST(SharePeriod, OneLongStretchIsOne) {
  std::vector<double> gaps(48, 1.9e-3);
  gaps.push_back(3.9e-3);
  EXPECT_DOUBLE_EQ(share_period(gaps, 0.1), 0.1 / 49);
}

}  // namespace
}  // namespace parcast::calibrate
