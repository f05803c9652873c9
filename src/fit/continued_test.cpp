// SPDX-License-Identifier: Apache-2.0
#include "fit/continued.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::fit {
namespace {

std::optional<double> continued(const Observed& observed, std::span<const double> point) {
  const auto how = continuation(observed.points, point);
  return how ? std::optional(how->of(observed.values)) : std::nullopt;
}

TEST(Continued, TheLastTwoPointsSayHowItGoesOn) {
  const Observed observed{{{8}, {2}, {4}}, {36, 7, 12}, {}};
  // From 4 to 8 a factor of three, so from 8 to 32 a factor of nine.
  EXPECT_NEAR(*continued(observed, std::vector<double>{32}), std::log(36 * 9), 1e-12);
}

TEST(Continued, PointsThatLieCloseTellNoSlope) {
  const Observed observed{{{4}, {8}, {9}}, {1, 2, 100}, {}};
  EXPECT_NEAR(*continued(observed, std::vector<double>{18}),
              std::log(100 * std::pow(100, std::log(2) / std::log(9.0 / 4))), 1e-9);
}

TEST(Continued, GoesAlongTheOneArgumentThatLiesBeyond) {
  const Observed observed{{{1, 10}, {2, 10}, {1, 20}, {2, 20}}, {1, 3, 5, 7}, {}};
  EXPECT_NEAR(*continued(observed, std::vector<double>{4, 20}), std::log(7 * 7 / 5.0), 1e-12);
  EXPECT_FALSE(continued(observed, std::vector<double>{4, 40}));
  EXPECT_FALSE(continued(observed, std::vector<double>{2, 20}));
  EXPECT_FALSE(continued(observed, std::vector<double>{4, 15}));
}

// Exponents -1 and then -1/2: the bend is -1/2, and of it 1/2 x 0.25 / (0.25 + 0.09) counts as noise.
TEST(Continued, OfFewProcessCountsHalfOfALargeBendIsNoise) {
  auto how = continuation({{1}, {2}, {4}}, std::vector<double>{8});
  ASSERT_TRUE(how);
  const std::vector<double> values{2, 1, std::sqrt(0.5)};
  EXPECT_NEAR(how->growth(values), -0.5, 1e-12);
  how->few = true;
  EXPECT_NEAR(how->growth(values), -0.5 - 0.5 * 0.5 * 0.25 / 0.34, 1e-12);
  EXPECT_NEAR(how->growth(std::vector<double>{64, 8, 1}), -1.1, 1e-12);
  EXPECT_NEAR(how->growth(std::vector<double>{1, 8, 64}), 1.25, 1e-12);
}

}  // namespace
}  // namespace parcast::fit
