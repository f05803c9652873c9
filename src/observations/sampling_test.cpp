// SPDX-License-Identifier: Apache-2.0
#include "observations/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

std::vector<Sample> samples(const std::vector<std::int64_t>& nanoseconds) {
  std::vector<Sample> all;
  for (const std::int64_t t : nanoseconds) all.push_back({t});
  return all;
}

TEST(Sampling, NoExecutionTakesNoTime) {
  const TimeSummary none = summarise({});
  EXPECT_EQ(none.count, 0);
  EXPECT_EQ(none.mean, 0);
  EXPECT_EQ(none.standard_error, 0);
}

TEST(Sampling, FewTimesGiveTheirMeanAndStandardError) {
  // Deviations -15, -5, 5, 15 from 25: variance 500 / 3.
  const TimeSummary summary = summarise(samples({10, 20, 30, 40}));
  EXPECT_EQ(summary.count, 4);
  EXPECT_NEAR(summary.mean, 25e-9, 1e-18);
  EXPECT_NEAR(summary.total, 100e-9, 1e-18);
  EXPECT_NEAR(summary.standard_error, std::sqrt(500.0 / 3) / 2 * 1e-9, 1e-18);
  // Three of the six pairs differ by 10, two by 20, one by 30. The mean difference of a normal distribution
  // is 2 / sqrt(pi) standard deviations.
  EXPECT_NEAR(summary.noise, std::sqrt(std::acos(-1.0)) / 2 * (100.0 / 6) / 25, 1e-12);
  EXPECT_EQ(summary.first_extra, 0);
}

TEST(Sampling, OneTimeHasNoNoise) {
  const TimeSummary summary = summarise(samples({70}));
  EXPECT_NEAR(summary.mean, 70e-9, 1e-18);
  EXPECT_EQ(summary.noise, 0);
  EXPECT_EQ(summary.standard_error, 0);
}

TEST(Sampling, ADisturbedTimeIsReplacedByItsNeighbours) {
  std::vector<Sample> all(11, Sample{100});
  all[6] = {100'000, true};
  const TimeSummary summary = summarise(all);
  EXPECT_NEAR(summary.mean, 100e-9, 1e-18);
  EXPECT_NEAR(summary.total, 101'000e-9, 1e-15);  // the total remains as measured
  EXPECT_NEAR(summary.disturbed, 1.0 / 11, 1e-12);
}

// One call in four computes forces, for milliseconds; in each of these another thread has the processor for a
// moment.
TEST(Sampling, WhatIsFarLongerThanItsNeighboursIsAnotherThingThatWasDone) {
  std::vector<Sample> all;
  for (int i = 0; i < 80; ++i) all.push_back(i % 4 == 3 ? Sample{5'000'000, true} : Sample{1'000});
  EXPECT_NEAR(summarise(all).mean, (5e-3 + 3e-6) / 4, 1e-12);
  // A sample is disturbed up to twice the level plus the time to refill caches.
  std::vector<Sample> long_ones(11, Sample{1'000'000});
  long_ones[5] = {2'200'000, true};
  EXPECT_NEAR(summarise(long_ones).mean, 1e-3, 1e-12);
  long_ones[5] = {2'200'100, true};
  EXPECT_NEAR(summarise(long_ones).mean, (10e-3 + 2.2001e-3) / 11, 1e-12);
}

TEST(Sampling, WithFewerThanThreeUndisturbedTimesNothingIsReplaced) {
  std::vector<Sample> all = samples({100, 100, 400, 400, 500});
  all[2].disturbed = all[3].disturbed = all[4].disturbed = true;
  EXPECT_NEAR(summarise(all).mean, 300e-9, 1e-18);
}

TEST(Sampling, AFirstTimeThatStandsOutIsKeptApart) {
  const TimeSummary summary = summarise(samples({1000, 100, 100, 100, 100, 100, 100, 100, 100, 100}));
  EXPECT_NEAR(summary.mean, 100e-9, 1e-18);
  EXPECT_NEAR(summary.first_extra, 900e-9, 1e-18);
  EXPECT_NEAR(summary.total, 1900e-9, 1e-15);
}

TEST(Sampling, AFirstTimeFivePercentAboveTheOthersIsOneOfThem) {
  const TimeSummary summary = summarise(samples({105, 100, 100, 100, 100, 100, 100, 100, 100, 100}));
  EXPECT_EQ(summary.first_extra, 0);
  EXPECT_NEAR(summary.mean, 100.5e-9, 1e-18);
}

TEST(Sampling, ADisturbedFirstTimeSaysNothingOfTheFirstExecution) {
  std::vector<Sample> all(10, Sample{100});
  all[0] = {5000, true};
  const TimeSummary summary = summarise(all);
  EXPECT_EQ(summary.first_extra, 0);
  EXPECT_NEAR(summary.mean, 100e-9, 1e-18);
}

TEST(Sampling, OneHugeTimeInFourHundredCountsAsTenTimesTheNoise) {
  // The median deviation is 0, so the noise is one percent of the level: 1 ns. The outlier counts as 100 +
  // 10.
  std::vector<Sample> all(400, Sample{100});
  all[200].nanoseconds = 100'000;
  EXPECT_NEAR(summarise(all).mean, (100 + 10.0 / 400) * 1e-9, 1e-17);
}

TEST(Sampling, HugeTimesThatAreNotRareCountInFull) {
  std::vector<Sample> all(400, Sample{100});
  for (const std::size_t at : {100, 200, 300}) all[at].nanoseconds = 100'000;
  EXPECT_NEAR(summarise(all).mean, (100 + 3 * 99'900.0 / 400) * 1e-9, 1e-17);
}

TEST(Sampling, ATrendIsNoNoise) {
  std::vector<Sample> all;
  for (int i = 0; i < 500; ++i) all.push_back({1000 - i});
  const TimeSummary summary = summarise(all);
  EXPECT_NEAR(summary.mean, 750.5e-9, 1e-15);
  EXPECT_LT(summary.noise, 0.002);  // the standard deviation of all times would be 144 / 750
}

TEST(Sampling, DisturbedTimesOfATrendTakeTheLevelOfTheirPlace) {
  std::vector<Sample> all;
  for (int i = 0; i < 400; ++i) all.push_back({1000 - 2 * i, i % 10 == 5});
  for (Sample& s : all)
    if (s.disturbed) s.nanoseconds *= 50;
  EXPECT_NEAR(summarise(all).mean, 601e-9, 1e-9);
}

TEST(Sampling, NoiseIsTheSpreadBetweenNeighbours) {
  // Uniform on [900, 1100): the standard deviation is 200 / sqrt(12) = 57.7, the mean difference of two 200 /
  // 3.
  testing::Numbers numbers(9);
  std::vector<Sample> all;
  for (int i = 0; i < 20'000; ++i) all.push_back({900 + static_cast<std::int64_t>(200 * numbers.uniform())});
  const TimeSummary summary = summarise(all);
  EXPECT_NEAR(summary.mean, 1000e-9, 2e-9);
  EXPECT_NEAR(summary.noise, std::sqrt(std::acos(-1.0)) / 2 * 0.2 / 3, 0.006);
  EXPECT_NEAR(summary.standard_error, 57.7e-9 / std::sqrt(20'000.0), 0.04e-9);
}

TEST(Sampling, TimesInAnotherUnitGiveTheSameShares) {
  testing::Numbers numbers(4);
  std::vector<Sample> one, thousand;
  for (int i = 0; i < 200; ++i) {
    const auto t = static_cast<std::int64_t>(1000 + 500 * numbers.uniform());
    const bool disturbed = numbers.uniform() < 0.1;
    one.push_back({t, disturbed});
    thousand.push_back({1000 * t, disturbed});
  }
  const TimeSummary a = summarise(one), b = summarise(thousand);
  EXPECT_NEAR(b.mean / a.mean, 1000, 1e-9);
  EXPECT_NEAR(b.noise, a.noise, 1e-12);
  EXPECT_NEAR(b.standard_error / a.standard_error, 1000, 1e-9);
  EXPECT_NEAR(b.disturbed, a.disturbed, 1e-15);
}

TEST(Sampling, RareSpikesSpreadByTheirMeanDifference) {
  // One in a hundred takes twice as long: two values differ by 1000 in 2 x 0.01 x 0.99 of the cases.
  std::vector<std::int64_t> times(1000, 1000);
  for (std::size_t i = 50; i < times.size(); i += 100) times[i] = 2000;
  const TimeSummary summary = summarise(samples(times));
  EXPECT_NEAR(summary.noise, std::sqrt(std::acos(-1.0)) / 2 * 2 * 0.01 * 0.99 * 1000 / 1010, 1e-4);
}

}  // namespace
}  // namespace parcast::program
