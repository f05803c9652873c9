// SPDX-License-Identifier: Apache-2.0
#include "plan/allowed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::plan {
namespace {

using testing::ElementsAre;

std::vector<double> values(const std::vector<double>& measured, double asked) {
  return derived_values(measured, asked).values;
}

TEST(Allowed, MeasuredValuesGoOnByTheirRatioTowardsWhatIsAsked) {
  EXPECT_THAT(values({16, 4, 8, 8}, 1024), ElementsAre(4, 8, 16, 32, 64));
  EXPECT_THAT(values({100, 200, 300}, 1000), ElementsAre(100, 200, 300, 450, 675));
  EXPECT_THAT(values({64, 128}, 10), ElementsAre(16, 32, 64, 128));
  EXPECT_THAT(values({0.5, 1}, 100), ElementsAre(0.5, 1, 2, 4));
  EXPECT_TRUE(derived_values({1, 2}, 4).derived);
}

TEST(Allowed, TheyStopBeforeWhatIsAsked) {
  EXPECT_THAT(values({1, 2, 4}, 8), ElementsAre(1, 2, 4));
  EXPECT_THAT(values({1, 2, 4}, 9), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(values({1, 2, 4}, 3), ElementsAre(1, 2, 4));
}

TEST(Allowed, StepsAreNeverNearerThanAQuarter) {
  EXPECT_THAT(values({99, 100}, 1000), ElementsAre(99, 100, 125, 156));
}

TEST(Allowed, ZeroAndASingleValueGiveNoStep) {
  EXPECT_THAT(values({0, 1}, 100), ElementsAre(0, 1));
  EXPECT_THAT(values({7}, 7), ElementsAre(7));
}

TEST(Allowed, CrossedTheLastFastest) {
  EXPECT_THAT(crossed({{{1, 2}}, {{10, 20}}}),
              ElementsAre(Point{1, 10}, Point{1, 20}, Point{2, 10}, Point{2, 20}));
}

}  // namespace
}  // namespace parcast::plan
