// SPDX-License-Identifier: Apache-2.0
#include "program/spells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace parcast::program {
namespace {

constexpr int kExecutions = 1280;

TimeSummary rank_with(const std::function<double(int)>& microseconds, int executions = kExecutions) {
  std::vector<Sample> samples;
  for (int k = 0; k < executions; ++k) samples.push_back({std::llround(microseconds(k) * 1e3), false});
  return summarise(samples);
}

Spells between(const TimeSummary& a, const TimeSummary& b) {
  const TimeSummary* both[]{&a, &b};
  return spells_between(both);
}

// Spells of 80 executions in which one of two ranks takes 15 us and the other 10: 20 % to either side of their mean.
double in_turn(int k, int rank) { return (k / 80) % 2 == rank ? 15 : 10; }

TEST(Spells, AreTheDifferencesBetweenRanksThatDoNotLast) {
  const Spells spells = between(rank_with([](int k) { return in_turn(k, 0); }), rank_with([](int k) { return in_turn(k, 1); }));
  // Variance of two values at +-20 %, with one degree of freedom: 0.08.
  EXPECT_NEAR(spells.noise, std::sqrt(0.08), 0.01);
}

TEST(Spells, WhatLastsOrTrendsOrStandsAloneIsNone) {
  EXPECT_NEAR(between(rank_with([](int) { return 10; }), rank_with([](int) { return 20; })).noise, 0, 1e-3);
  const auto shrinking = [](int k) { return 1000 - 0.5 * k; };
  EXPECT_NEAR(between(rank_with(shrinking), rank_with(shrinking)).noise, 0, 1e-6);
  // A tenth more at every second execution, in turn: from iteration to iteration, gone within a stretch of ten.
  const auto alternating = [](int rank) { return [rank](int k) { return k % 2 == rank ? 11. : 10.; }; };
  EXPECT_NEAR(between(rank_with(alternating(0)), rank_with(alternating(1))).noise, 0, 0.01);
}

TEST(Spells, ATrendOfAllDoesNotHideThem) {
  const auto both = [](int rank) { return [rank](int k) { return in_turn(k, rank) * (1000 - 0.5 * k); }; };
  EXPECT_NEAR(between(rank_with(both(0)), rank_with(both(1))).noise, std::sqrt(0.08), 0.01);
}

TEST(Spells, LeaveAnErrorInTheMeanOfARank) {
  // Slow in one eighth of the run: the mean is 1/16 above 10 us; a rank with two such eighths would be 1/8 above.
  const Spells spells = between(rank_with([](int k) { return k < kExecutions / 8 ? 15 : 10; }), rank_with([](int) { return 10; }));
  // Deviations from the ranks' common course: +-0.2 in one batch of eight.
  EXPECT_NEAR(std::sqrt(spells.squared_errors[0]), 0.2 / 8, 0.01);
  EXPECT_GT(spells.noise, 0);
}

TEST(Spells, UnequalOrFewExecutionsAreNotCompared) {
  const auto ten = [](int) { return 10; };
  EXPECT_EQ(between(rank_with(ten, 100), rank_with(ten, 101)).noise, 0);
  EXPECT_EQ(between(rank_with([](int k) { return in_turn(k * 10, 0); }, 15), rank_with([](int k) { return in_turn(k * 10, 1); }, 15)).noise, 0);
  const TimeSummary alone = rank_with(ten);
  const TimeSummary* one[]{&alone};
  EXPECT_EQ(spells_between(one).noise, 0);
}

}  // namespace
}  // namespace parcast::program
