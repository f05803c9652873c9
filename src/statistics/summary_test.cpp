// SPDX-License-Identifier: Apache-2.0
#include "statistics/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace parcast::statistics {
namespace {

TEST(Summary, OfAHandSample) {
  const std::vector<double> sample{2, 4, 4, 4, 5, 5, 7, 9};  // mean 5, squares about it sum to 32
  const auto s = summarize(sample);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->count, 8u);
  EXPECT_DOUBLE_EQ(s->mean, 5);
  EXPECT_DOUBLE_EQ(s->standard_deviation, std::sqrt(32.0 / 7));
  EXPECT_EQ(s->minimum, 2);
  EXPECT_EQ(s->maximum, 9);
  EXPECT_EQ(s->median, 4.5);
  EXPECT_EQ(s->median_absolute_deviation, 0.5);  // distances 2.5 .5 .5 .5 .5 .5 2.5 4.5
}

TEST(Summary, OneValueHasNoSpread) {
  const auto s = summarize(std::vector<double>{3.0});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->mean, 3);
  EXPECT_EQ(s->standard_deviation, 0);
}

TEST(Summary, RefusesNothingAndNotANumber) {
  EXPECT_FALSE(summarize(std::vector<double>{}));
  const auto bad = summarize(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, "value 2");
}

// NIST StRD NumAcc2 and NumAcc4: certified means 1.2 and 10000000.2, standard deviations 0.1.
TEST(Summary, KeepsDigitsWhereTheTextbookFormulaLosesThem) {
  for (const double base : {1.2, 10000000.2}) {
    std::vector<double> sample{base};
    for (int i = 0; i < 500; ++i) sample.insert(sample.end(), {base - 0.1, base + 0.1});
    const auto s = summarize(sample);
    ASSERT_TRUE(s);
    EXPECT_NEAR(s->mean / base, 1, 1e-15);
    EXPECT_NEAR(s->standard_deviation, 0.1, base * 1e-15);
  }
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> sample{40, 10, 30, 20};
  EXPECT_EQ(quantile(sample, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(sample, 0.25), 17.5);  // position 0.75
  EXPECT_DOUBLE_EQ(quantile(sample, 0.9), 37);     // position 2.7
  EXPECT_EQ(quantile(sample, 1), 40);
}

TEST(TrimmedMean, CutsBothEndsAlike) {
  const std::vector<double> sample{1, 2, 3, 4, 1000};
  EXPECT_DOUBLE_EQ(trimmed_mean(sample, 0.2), 3);
  EXPECT_DOUBLE_EQ(trimmed_mean(sample, 0.19), 202);  // floor(0.95) = 0 values cut
}

TEST(MedianInterval, OfTenValuesTakesTheSecondAndTheNinth) {
  std::vector<double> sample;
  for (int i = 1; i <= 10; ++i) sample.push_back(i);
  const auto interval = median_interval(sample, 0.95);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->interval.value, 5.5);
  EXPECT_EQ(interval->interval.low, 2);
  EXPECT_EQ(interval->interval.high, 9);
  EXPECT_NEAR(interval->achieved, 1 - 2.0 * 11 / 1024, 1e-14);
}

TEST(MedianInterval, RefusesALevelThatTheSampleCannotReach) {
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2, 3, 4, 5}, 0.95));  // 1 - 2^-4 = 0.9375
  const auto at_lower_level = median_interval(std::vector<double>{1, 2, 3, 4, 5}, 0.93);
  ASSERT_TRUE(at_lower_level);
  EXPECT_EQ(at_lower_level->interval.low, 1);
  EXPECT_EQ(at_lower_level->interval.high, 5);
  EXPECT_DOUBLE_EQ(at_lower_level->achieved, 0.9375);
}

}  // namespace
}  // namespace parcast::statistics
