// SPDX-License-Identifier: Apache-2.0
#include "fit/plain_forecasts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::fit {
namespace {

Points crossed(const std::vector<double>& processes, const std::vector<double>& sizes) {
  Points points;
  for (const double p : processes)
    for (const double n : sizes) points.push_back({p, n});
  return points;
}

template <class Law>
PlainAnswers answers(const Points& points, const Law& law, const std::vector<double>& at) {
  std::vector<double> values;
  for (const auto& point : points) values.push_back(law(point[0], point[1]));
  return answers_at(plain_forecasts(points, values, {true, false}), at);
}

const Points kPoints = crossed({1, 2, 4}, {100, 200, 400});

TEST(PlainForecasts, OfPerfectScalingAllButTheLastPointAgree) {
  const auto law = [](double p, double n) { return 1e-6 * n * n / p; };
  const PlainAnswers found = answers(kPoints, law, {8, 800});
  EXPECT_NEAR(std::exp(*found[0]), 0.04, 1e-12);  // 1e-6 * 400^2 / 4
  for (std::size_t k = 1; k < found.size(); ++k) EXPECT_NEAR(std::exp(*found[k]), 0.08, 1e-9) << k;
}

TEST(PlainForecasts, ASumOverProcessesTimesAPowerOfTheSizeIsFoundExactly) {
  // n^2 times 9, 5.5, 4 on 1, 2, 4 processes; 3.5 on 16.
  const auto law = [](double p, double n) { return n * n * (1 + 8 / p + 0.5 * std::log2(p)); };
  const PlainAnswers found = answers(kPoints, law, {16, 1000});
  EXPECT_NEAR(std::exp(*found[3]) / 3.5e6, 1, 1e-9);
  EXPECT_NEAR(std::exp(*found[1]) / 1e6, 1, 1e-9);  // 4 / 4
}

TEST(PlainForecasts, CoefficientsAreNotNegative) {
  // grows with p: the best a + b / p with b >= 0 is a constant
  const PlainForecasts found =
      plain_forecasts(kPoints, std::vector<double>{1, 1, 1, 2, 2, 2, 4, 4, 4}, {true, false});
  ASSERT_TRUE(found[2]);
  EXPECT_EQ(found[2]->terms.size(), 1);
  // relative misses: the sum of (a / y - 1)^2 is least at sum(1 / y) / sum(1 / y^2) = 1.75 / 1.3125
  EXPECT_NEAR(std::exp(*answers_at(found, std::vector<double>{16, 100})[2]), 4.0 / 3, 1e-9);
}

TEST(PlainForecasts, OneNumberOfProcessesHasNoSumOverThem) {
  const Points points = crossed({4}, {100, 200, 400});
  const PlainForecasts found = plain_forecasts(points, std::vector<double>{1, 4, 16}, {true, false});
  EXPECT_TRUE(found[1]);
  EXPECT_FALSE(found[2]);
  EXPECT_NEAR(std::exp(*answers_at(found, std::vector<double>{8, 800})[1]), 32, 1e-9);
}

TEST(PlainForecasts, TooFewPointsLeaveTheLastOne) {
  const PlainForecasts found =
      plain_forecasts({{1, 100}, {2, 200}}, std::vector<double>{1, 3}, {true, false});
  EXPECT_TRUE(found[0]);
  EXPECT_FALSE(found[1]);
  EXPECT_FALSE(found[2]);
}

}  // namespace
}  // namespace parcast::fit
