// SPDX-License-Identifier: Apache-2.0
#include "calibrate/late.h"

#include <gtest/gtest.h>

namespace parcast::calibrate {
namespace {

TEST(LeastLate, TakesThoseWithTheLeastDelaysAndTheMiddleOfWhatIsPossible) {
  const RoughRepeats rough = least_late({{1, 8}, {5, 0.5}, {4, 1}, {0, 20}, {4.5, 0}}, 3);
  EXPECT_EQ(rough.seconds, (std::vector<double>{4.5, 5.25, 4.5}));
  EXPECT_DOUBLE_EQ(rough.error, 0.5 / std::sqrt(12.0));
}

TEST(LeastLate, OfManyIsATenth) {
  std::vector<LateRepeat> repeats;
  for (int i = 100; i > 0; --i) repeats.push_back({10, 0.01 * i});
  EXPECT_EQ(least_late(repeats, 3).seconds.size(), 10u);
  EXPECT_DOUBLE_EQ(least_late(repeats, 3).seconds.front(), 10.005);
}

/// A call of 1 s whose processes start up to 0.9 s late still ends after 1 s. The time from the last start
/// alone is far too short.
TEST(LeastLate, IsNotTakenInByCallsThatWereUnderWayBeforeTheLastStart) {
  std::vector<LateRepeat> repeats;
  for (int i = 0; i < 60; ++i) repeats.push_back({1 - 0.015 * i, 0.015 * i});
  const RoughRepeats rough = least_late(repeats, 3);
  for (const double seconds : rough.seconds) EXPECT_NEAR(seconds, 1, 0.05);
}

TEST(LeastLate, OfNoneIsNone) {
  EXPECT_TRUE(least_late({}, 3).seconds.empty());
}

}  // namespace
}  // namespace parcast::calibrate
