// SPDX-License-Identifier: Apache-2.0
#include "causes/breaks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/random.h"

namespace parcast::causes {
namespace {

enum class Noise { normal, heavy, skewed };

double relative_error(statistics::Random& random, Noise kind) {
  if (kind == Noise::normal) return random.normal();
  if (kind == Noise::heavy) return random.normal() / std::max(0.3, std::abs(random.normal()));
  return random.exponential() - 1;
}

/// Returns `count` samples from 1e9 operations on, each `factor` times the one before, at 0.25 ns per
/// operation. After sample number `last` (from 0) further operations cost `beyond` times as much. last =
/// count: nowhere.
std::vector<Sample> samples(statistics::Random& random, std::size_t count, double factor, std::size_t last,
                            double beyond, double noise, Noise kind = Noise::normal) {
  std::vector<Sample> out;
  const double bend = 1e9 * std::pow(factor, static_cast<double>(last));
  for (std::size_t i = 0; i < count; ++i) {
    const double work = 1e9 * std::pow(factor, static_cast<double>(i));
    const double exact = 0.25e-9 * (work + (beyond - 1) * std::max(0.0, work - bend));
    out.push_back({work, exact * (1 + noise * relative_error(random, kind)), 1});
  }
  return out;
}

Linearity found(const std::vector<Sample>& data, const BreakOptions& options = {}) {
  const auto result = find_break(data, {}, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? *result : Linearity{};
}

TEST(Breaks, AProportionalTimeHasItsCostAndNoBreak) {
  std::vector<Sample> data;
  for (const double work : {1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0}) data.push_back({work, 3 * work, 1});
  const Linearity linear = found(data);
  EXPECT_TRUE(linear.tested);
  EXPECT_EQ(linear.shape, Shape::straight);
  EXPECT_DOUBLE_EQ(linear.delta, 3);
  EXPECT_EQ(linear.linear_samples, 7u);
  EXPECT_EQ(linear.last_linear, 21);
}

TEST(Breaks, AnExactBendIsFoundWithBothCosts) {
  std::vector<Sample> data;  // 2 s each up to 5, then 7 s each
  for (const double work : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0})
    data.push_back({work, work <= 5 ? 2 * work : 10 + 7 * (work - 5), 1});
  const Linearity broken = found(data);
  EXPECT_EQ(broken.shape, Shape::bend);
  EXPECT_EQ(broken.last_linear, 5);
  EXPECT_EQ(broken.first_beyond, 6);
  EXPECT_EQ(broken.linear_samples, 5u);
  EXPECT_NEAR(broken.delta, 2, 1e-9);
  EXPECT_NEAR(broken.delta_beyond, 7, 1e-9);
  EXPECT_NEAR(broken.effect, 20.0 / 38, 1e-9);  // at 9: 5 s x 4 more than 18 s
}

TEST(Breaks, AStepInCostIsFoundAlongWorkAndAlongProcesses) {
  std::vector<Sample> in_work, in_processes;
  statistics::Random random(4);
  for (int i = 1; i <= 12; ++i) {
    const double noise = 1 + 0.005 * random.normal();
    in_work.push_back({double(i), noise * i * (i <= 7 ? 1.0 : 1.5), 1});
    in_processes.push_back(
        {double(1 + (5 * i) % 12), noise * (1 + (5 * i) % 12) * (i <= 6 ? 1.0 : 1.3), double(i)});
  }
  const Linearity work = found(in_work);
  EXPECT_EQ(work.shape, Shape::step);
  EXPECT_EQ(work.last_linear, 7);
  EXPECT_NEAR(work.delta_beyond / work.delta, 1.5, 0.02);
  const Linearity processes = found(in_processes);
  EXPECT_EQ(processes.shape, Shape::step_in_processes);
  EXPECT_EQ(processes.last_linear, 6);
  EXPECT_EQ(processes.first_beyond, 7);
  EXPECT_EQ(processes.linear_samples, 6u);
}

// 5 % of 600 is 30; the binomial's 99.9 % point is 47.
TEST(Breaks, FalseAlarmsAreRareWhateverTheErrorsLookLike) {
  for (const Noise kind : {Noise::normal, Noise::heavy, Noise::skewed})
    for (const std::size_t count : {8u, 20u}) {
      int alarms = 0;
      for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        statistics::Random random(1000 * count + seed);
        BreakOptions options;
        options.permutations = 199;
        options.least_effect = 0;  // so that only the test decides
        options.seed = seed;
        alarms += found(samples(random, count, 1.4, count, 1, 0.05, kind), options).shape != Shape::straight;
      }
      EXPECT_LE(alarms, 47) << count;
      EXPECT_GE(alarms, 5) << "a test that never rings has no power";
    }
}

// Times of a hundredth of the longest have three to thirty times its relative noise.
TEST(Breaks, FalseAlarmsAreRareWhereShortTimesAreLessExact) {
  for (const double constant : {0.03, 0.3}) {
    int alarms = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
      statistics::Random random(seed);
      std::vector<Sample> data;
      for (int i = 0; i < 12; ++i) {
        const double work = std::pow(100.0, i / 11.0);
        data.push_back({work, work * std::exp(std::hypot(0.01, constant / work) * random.normal()), 1});
      }
      BreakOptions options;
      options.permutations = 199;
      options.least_effect = 0;
      options.seed = seed;
      alarms += found(data, options).shape != Shape::straight;
    }
    EXPECT_LE(alarms, 47) << constant;
    EXPECT_GE(alarms, 5) << constant;
  }
}

// At 1 % noise; the work grows by a quarter from sample to sample, and further work costs twice as much.
TEST(Breaks, ABreakIsFoundWithinOneSample) {
  int within = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    statistics::Random random(seed);
    const std::size_t last = 5 + seed % 10;
    const Linearity broken = found(samples(random, 20, 1.25, last, 2, 0.01));
    missed += broken.shape == Shape::straight;
    const double steps = std::log(broken.last_linear / 1e9) / std::log(1.25) - static_cast<double>(last);
    within += broken.shape != Shape::straight && std::abs(steps) < 1.5;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_GE(within, 199);
}

TEST(Breaks, AnExactSecondBendIsFoundAtItsPlace) {
  std::vector<Sample> data;  // 2 s each up to 5, then 4, from 12 on 9
  for (int i = 1; i <= 18; ++i)
    data.push_back({double(i), 2.0 * i + 2.0 * std::max(0, i - 5) + 5.0 * std::max(0, i - 12), 1});
  const Linearity first = found(data);
  ASSERT_NE(first.shape, Shape::straight);
  const auto twice = find_second_break(data, first);
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->earlier.last_linear, 5);
  EXPECT_EQ(twice->later.last_linear, 12);
  EXPECT_NEAR(twice->later.delta, 2, 1e-9);
  EXPECT_NEAR(twice->later.others[0], 2, 1e-9);
  EXPECT_NEAR(twice->later.delta_beyond - twice->later.delta, 5, 1e-9);
  EXPECT_EQ(break_column(data, twice->later)[17], 6);
  EXPECT_EQ(break_column(data, Linearity{}), Column(18, 0.0));
}

// The bend lies between samples, and no bend at a sample fits it. 5 % of 200 is 10, the binomial's 99.9 %
// point is 20.
TEST(Breaks, OneBreakIsSeldomTakenForTwo) {
  int twice = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    statistics::Random random(seed);
    std::vector<Sample> data;
    for (int i = 0; i < 20; ++i) {
      const double work = std::pow(1.25, i), exact = work + 1.5 * std::max(0.0, work - std::pow(1.25, 10.5));
      data.push_back({work, exact * (1 + 0.01 * random.normal()), 1});
    }
    twice += find_second_break(data, found(data)).has_value();
  }
  EXPECT_LE(twice, 20);
}

TEST(Breaks, AKnownCauseTakesTheBreakAway) {
  statistics::Random random(9);
  std::vector<Sample> data;
  Column faults;
  for (int i = 1; i <= 16; ++i) {
    faults.push_back(i <= 8 ? 0 : (i - 8.0) * (1 + 0.2 * random.uniform()));
    data.push_back({double(i), (2.0 * i + 3 * faults.back()) * (1 + 0.01 * random.normal()), 1});
  }
  EXPECT_NE(found(data).shape, Shape::straight);
  const auto refined = find_break(data, std::vector<Column>{faults});
  ASSERT_TRUE(refined.ok());
  EXPECT_EQ(refined->shape, Shape::straight);
  EXPECT_NEAR(refined->delta, 2, 4 * refined->standard_error);
  EXPECT_NEAR(refined->others[0], 3, 4 * refined->other_errors[0]);
  EXPECT_LT(refined->other_errors[0], 0.1);
}

TEST(Breaks, ADeviationTooSmallToMatterIsNone) {
  std::vector<Sample> data;
  for (int i = 1; i <= 12; ++i) data.push_back({double(i), i <= 6 ? double(i) : 1.01 * i, 1});
  EXPECT_EQ(found(data).shape, Shape::straight);
  BreakOptions fine;
  fine.least_effect = 0.001;
  EXPECT_EQ(found(data, fine).shape, Shape::step);
}

TEST(Breaks, FewSamplesAreNotTestedAndWrongOnesRefused) {
  const std::vector<Sample> few{{1, 1, 1}, {2, 2, 1}, {3, 9, 1}, {4, 20, 1}};
  EXPECT_FALSE(found(few).tested);
  EXPECT_EQ(found(few).shape, Shape::straight);
  const auto message = [](const std::vector<Sample>& data) {
    const auto result = find_break(data);
    return result.ok() ? "" : result.error().what;
  };
  EXPECT_EQ(message({{1, 1, 1}, {2, 2, 1}, {3, 3, 1}}), "");
  EXPECT_EQ(message({{1, 1, 1}, {2, 2, 1}}), "fewer than 3 runs are too few for a cost per unit of work");
  EXPECT_EQ(message({{1, 1, 1}, {2, 0, 1}, {3, 3, 1}}), "a time is 0 seconds");
  EXPECT_EQ(message({{0, 1, 1}, {0, 2, 1}, {0, 3, 1}}), "no sample has any work");
}

TEST(Breaks, SameInputSameAnswer) {
  statistics::Random random(3);
  const auto data = samples(random, 15, 1.3, 7, 1.2, 0.03);
  EXPECT_EQ(found(data).p_value, found(data).p_value);
}

}  // namespace
}  // namespace parcast::causes
