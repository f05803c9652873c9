// SPDX-License-Identifier: Apache-2.0
#include "observations/slow_phases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "statistics/random.h"

namespace parcast::program {
namespace {

constexpr int kExecutions = 1280;

TimeSummary rank_with(const std::function<double(int)>& microseconds, int executions = kExecutions) {
  std::vector<Sample> samples;
  for (int k = 0; k < executions; ++k) samples.push_back({std::llround(microseconds(k) * 1e3), false});
  return summarise(samples);
}

SlowPhases between(const TimeSummary& a, const TimeSummary& b) {
  const TimeSummary* both[]{&a, &b};
  return slow_phases_between(both);
}

// Slow phases of 80 executions in which one of two ranks takes 15 us and the other 10: 20 % above and below
// their mean.
double in_turn(int k, int rank) {
  return (k / 80) % 2 == rank ? 15 : 10;
}

TEST(SlowPhases, AreTheDifferencesBetweenRanksThatDoNotLast) {
  const SlowPhases slow_phases =
      between(rank_with([](int k) { return in_turn(k, 0); }), rank_with([](int k) { return in_turn(k, 1); }));
  // Variance of two values at +-20 %, with one degree of freedom: 0.08.
  EXPECT_NEAR(slow_phases.noise, std::sqrt(0.08), 0.01);
}

TEST(SlowPhases, WhatLastsOrTrendsOrStandsAloneIsNone) {
  EXPECT_NEAR(between(rank_with([](int) { return 10; }), rank_with([](int) { return 20; })).noise, 0, 1e-3);
  const auto shrinking = [](int k) { return 1000 - 0.5 * k; };
  EXPECT_NEAR(between(rank_with(shrinking), rank_with(shrinking)).noise, 0, 1e-6);
  // Every second execution takes a tenth more, alternating between ranks: noise between iterations that
  // averages out in a stretch of ten.
  const auto alternating = [](int rank) { return [rank](int k) { return k % 2 == rank ? 11. : 10.; }; };
  EXPECT_NEAR(between(rank_with(alternating(0)), rank_with(alternating(1))).noise, 0, 0.01);
}

// One call site closes a long computation and five short ones, 100 and 2 us, in each of ten rounds. By
// hand: where both ranks take the same time nothing differs; where rank 1 takes 6 us more or less in turn for
// each long one, the two differ from their mean by 3 us in a sixth of the executions, with one degree of
// freedom, of a mean of 110 / 6 us.
TEST(SlowPhases, WhatAllRanksHaveInCommonDoesNotDifferBetweenExecutions) {
  const auto levels = [](double more) {
    return [more](int k) { return k % 6 == 0 ? 100 + ((k / 6) % 2 ? more : -more) : 2.0; };
  };
  EXPECT_NEAR(*between(rank_with(levels(0), 60), rank_with(levels(0), 60)).between_executions, 0, 1e-9);
  EXPECT_GT(rank_with(levels(0), 60).noise, 0.5);
  EXPECT_NEAR(*between(rank_with(levels(0), 60), rank_with(levels(6), 60)).between_executions,
              std::sqrt(2 * 3 * 3 / 6.0) / (110 / 6.0), 5e-3);
  EXPECT_FALSE(between(rank_with(levels(0), 12), rank_with(levels(0), 12)).between_executions);
}

TEST(SlowPhases, ATrendOfAllDoesNotHideThem) {
  const auto both = [](int rank) { return [rank](int k) { return in_turn(k, rank) * (1000 - 0.5 * k); }; };
  EXPECT_NEAR(between(rank_with(both(0)), rank_with(both(1))).noise, std::sqrt(0.08), 0.01);
}

TEST(SlowPhases, LeaveAnErrorInTheMeanOfARank) {
  // Ranks are slow in alternate eighths of the run: eight batches of weight 1/8 at +-0.2. The variance of
  // their sum, with seven degrees of freedom, is 8 (0.2 / 8)^2 8 / 7.
  const auto eighths = [](int rank) {
    return [rank](int k) { return (8 * k / kExecutions) % 2 == rank ? 15. : 10.; };
  };
  const SlowPhases in_turn = between(rank_with(eighths(0)), rank_with(eighths(1)));
  for (const double error : in_turn.squared_errors) EXPECT_NEAR(std::sqrt(error), 0.2 / std::sqrt(7), 1e-4);
  // One of two ranks is slow in the first eighth. The common course is 12.5, then 10, of 82.5 in all; rank 0
  // is above it by a lasting 2.5 / 82.5. Batches: 12.5 / 82.5 (0.2 - 2.5 / 82.5), and seven of -10 / 82.5 x
  // 2.5 / 82.5.
  const SlowPhases once = between(rank_with([](int k) { return k < kExecutions / 8 ? 15 : 10; }),
                                  rank_with([](int) { return 10; }));
  const double lasting = 2.5 / 82.5, first = 12.5 / 82.5 * (0.2 - lasting), other = 10 / 82.5 * lasting;
  EXPECT_NEAR(std::sqrt(once.squared_errors[0]), std::sqrt((first * first + 7 * other * other) * 8 / 7),
              1e-4);
  EXPECT_GT(once.noise, 0);
}

TEST(SlowPhases, CountWithTheTimeThatTheyTake) {
  // 100 us without slow phases, then as many executions of 10 us with them: these take 12.5 of 112.5 of the
  // time.
  const auto late = [](int rank) {
    return [rank](int k) { return k < kExecutions / 2 ? 100 : in_turn(k, rank); };
  };
  EXPECT_NEAR(between(rank_with(late(0)), rank_with(late(1))).noise, std::sqrt(0.08 * 12.5 / 112.5), 1e-3);
}

// Returns the noise of 16 ranks whose executions vary by +-30 % independently, in addition to `course`.
double noise_of_sixteen(const std::function<double(int, int)>& course) {
  statistics::Random random(3);
  std::vector<TimeSummary> ranks;
  for (int rank = 0; rank < 16; ++rank)
    ranks.push_back(rank_with([&](int k) { return course(k, rank) * (random.below(2) ? 1.3 : 0.7); }));
  std::vector<const TimeSummary*> all;
  for (const TimeSummary& rank : ranks) all.push_back(&rank);
  return slow_phases_between(all).noise;
}

TEST(SlowPhases, IndependentIterationsAreNone) {
  // Stretches of ten differ by 0.3 / sqrt(10) without any slow phase. Slow phases in addition to such noise
  // are still measured.
  EXPECT_LT(noise_of_sixteen([](int, int) { return 10; }), 0.03);
  EXPECT_NEAR(noise_of_sixteen([](int k, int rank) { return in_turn(k, rank % 2); }),
              std::sqrt(0.04 * 16 / 15), 0.015);
}

TEST(SlowPhases, UnequalOrFewExecutionsAreNotCompared) {
  const auto ten = [](int) { return 10; };
  const auto turns = [](int rank) { return [rank](int k) { return in_turn(k, rank); }; };
  EXPECT_GT(between(rank_with(turns(0)), rank_with(turns(1))).noise, 0);
  EXPECT_EQ(between(rank_with(turns(0)), rank_with(turns(1), kExecutions - 1)).noise, 0);
  EXPECT_EQ(between(rank_with([](int k) { return in_turn(k * 10, 0); }, 15),
                    rank_with([](int k) { return in_turn(k * 10, 1); }, 15))
                .noise,
            0);
  const TimeSummary alone = rank_with(ten);
  const TimeSummary* one[]{&alone};
  EXPECT_EQ(slow_phases_between(one).noise, 0);
}

}  // namespace
}  // namespace parcast::program
