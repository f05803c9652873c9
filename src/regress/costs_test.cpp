// SPDX-License-Identifier: Apache-2.0
#include "regress/costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "statistics/random.h"

namespace parcast::regress {
namespace {

using statistics::Random;

// Operations cost 1 ns, messages 20 us, bytes 0.5 ns; programs differ by `between`, runs by `noise`.
Runs made(std::uint64_t seed, int programs, int runs, double between, double noise) {
  Random random(seed);
  Runs out;
  out.counts = {"operations", "messages", "bytes"};
  out.parameters = {"n"};
  out.where = "made";
  for (int g = 0; g < programs; ++g) {
    const double effect = std::exp(between * random.normal()), talk = std::pow(10, 2 * random.uniform() - 1),
                 size = std::pow(10, 2 * random.uniform() - 1);
    for (int i = 0; i < runs; ++i) {
      Run run;
      run.program = std::string(1, static_cast<char>('a' + g));
      const double n = 100 * std::pow(20, random.uniform());
      run.parameters["n"] = n;
      run.counts = {10 * n * n * n / 4, talk * 5 * n, size * talk * 4000 * n * n / 2};
      const double mean = 1e-9 * run.counts[0] + 2e-5 * run.counts[1] + 5e-10 * run.counts[2];
      run.seconds = mean * effect * (1 + noise * random.normal());
      run.place = "made:" + std::to_string(out.runs.size() + 1);
      out.runs.push_back(run);
    }
  }
  return out;
}

bool warns(const Costs& costs, const std::string& what) {
  return std::ranges::any_of(costs.warnings,
                             [&](const std::string& text) { return text.find(what) != std::string::npos; });
}

TEST(Costs, OfRunsWithoutNoiseAreFoundToTheDigit) {
  const auto costs = find_costs(made(1, 3, 6, 0, 0), {.held_out = false});
  ASSERT_TRUE(costs) << costs.error().what;
  EXPECT_NEAR(costs->costs[0].value, 1e-9, 1e-19);
  EXPECT_NEAR(costs->costs[1].value, 2e-5, 1e-13);
  EXPECT_NEAR(costs->costs[2].value, 5e-10, 1e-18);
  double share = 0;
  for (const Cost& cost : costs->costs) share += cost.share;
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST(Costs, TooFewRunsAreRefusedWithTheNumberNeeded) {
  Runs runs = made(1, 1, 3, 0, 0.01);
  const auto costs = find_costs(runs, {});
  ASSERT_FALSE(costs);
  EXPECT_EQ(costs.error().what, "3 runs are too few for 3 costs");
  EXPECT_NE(costs.error().hint.find("at least 4 are needed: add 1 more"), std::string::npos)
      << costs.error().hint;
}

TEST(Costs, CountsThatGoTogetherAreNamedWithTheirCombination) {
  Runs runs = made(2, 3, 6, 0.05, 0.02);
  runs.counts.push_back("frames");
  for (regress::Run& run : runs.runs) run.counts.push_back(2 * run.counts[1] + run.counts[0]);
  const auto costs = find_costs(runs, {.held_out = false});
  ASSERT_TRUE(costs);
  ASSERT_EQ(costs->aliases.size(), 1u);
  // Whichever of the three is left out, the equation between them is the same.
  const std::vector<std::pair<std::string, std::string>> same{
      {"frames", "operations + 2 messages"},       {"frames", "2 messages + operations"},
      {"operations", "-2 messages + frames"},      {"operations", "frames - 2 messages"},
      {"messages", "0.5 frames - 0.5 operations"}, {"messages", "-0.5 operations + 0.5 frames"}};
  EXPECT_TRUE(std::ranges::find(same, std::pair(costs->aliases[0].name, costs->aliases[0].combination)) !=
              same.end())
      << costs->aliases[0].name << " = " << costs->aliases[0].combination;
  for (const std::size_t j : {0u, 1u, 3u}) EXPECT_FALSE(costs->costs[j].identified);
  EXPECT_TRUE(warns(*costs, "cannot be separated"));
  regress::Run asked = runs.runs[0];
  EXPECT_TRUE(answer(*costs, asked).refused.empty());
  asked.counts[3] += 1e9;
  EXPECT_FALSE(answer(*costs, asked).refused.empty());
}

TEST(Costs, WhatNeverHappensIsNotIdentifiedAndWhatAlwaysDoesIsSaid) {
  Runs runs = made(3, 3, 6, 0.05, 0.02);
  runs.counts.push_back("faults"), runs.counts.push_back("steps");
  for (regress::Run& run : runs.runs) run.counts.push_back(0), run.counts.push_back(10);
  const auto costs = find_costs(runs, {.held_out = false});
  ASSERT_TRUE(costs);
  EXPECT_FALSE(costs->costs[3].identified);
  EXPECT_EQ(costs->costs[3].why, "no run has any");
  EXPECT_TRUE(warns(*costs, "no run has any faults"));
  EXPECT_TRUE(warns(*costs, "steps is 10 in every run from made:1 on"));
}

TEST(Costs, ACostBelowTwoErrorsIsNotIdentified) {
  Runs runs = made(4, 4, 8, 0.05, 0.05);
  Random random(1);
  runs.counts.push_back("nothing");
  for (regress::Run& run : runs.runs) run.counts.push_back(1 + std::floor(100 * random.uniform()));
  const auto costs = find_costs(runs, {.held_out = false});
  ASSERT_TRUE(costs);
  EXPECT_TRUE(costs->costs[0].identified);
  EXPECT_FALSE(costs->costs[3].identified);
  EXPECT_LT(std::abs(costs->costs[3].t), 2);
}

TEST(Costs, AProgramThatIsNotInTheFitIsPredicted) {
  const Runs runs = made(5, 7, 8, 0.08, 0.03);
  const auto out = without_program(runs, "c", {});
  ASSERT_TRUE(out) << out.error().what;
  EXPECT_EQ(out->runs, 8);
  EXPECT_EQ(out->answered, 8);
  EXPECT_LT(out->average_error, 0.3);
  for (const Answer& each : out->answers) {
    EXPECT_TRUE(each.fresh);
    EXPECT_FALSE(each.same);
  }
}

TEST(Costs, ErrorsOfRunsLeftOutAddUpByHand) {
  const auto costs = find_costs(made(6, 4, 5, 0.1, 0.03), {});
  ASSERT_TRUE(costs);
  ASSERT_EQ(costs->programs_out.size(), 4u);
  double error = 0, squares = 0, seconds = 0;
  int inside = 0;
  for (const HeldOut& each : costs->programs_out)
    for (const Answer& answer : each.answers) {
      error += std::abs(answer.value / answer.run.seconds - 1) / 20;
      squares += std::pow(answer.value - answer.run.seconds, 2);
      seconds += answer.run.seconds / 20;
      inside += answer.fresh->low <= answer.run.seconds && answer.run.seconds <= answer.fresh->high ? 1 : 0;
    }
  const HeldOut& all = *costs->all_programs_out;
  EXPECT_NEAR(all.average_error, error, 1e-12);
  EXPECT_NEAR(all.sigma, std::sqrt(squares / 17), 1e-12 * seconds);
  EXPECT_NEAR(all.mean_seconds, seconds, 1e-12 * seconds);
  EXPECT_NEAR(all.covered, inside / 20.0, 1e-12);
  EXPECT_EQ(costs->runs_out->answered, 20);
}

// The cost of communication is less certain than that of computing here. So the interval of a run dominated
// by it is wider (figure 2 of the paper).
TEST(Costs, IntervalsAreWiderWhereCommunicationDominates) {
  const auto costs = find_costs(made(7, 4, 10, 0.05, 0.03), {.held_out = false});
  ASSERT_TRUE(costs);
  const auto relative = [&](const std::vector<double>& counts) {
    const Answer found = answer(*costs, {.program = "new", .counts = counts});
    return (found.mean.high - found.mean.low) / found.value;
  };
  const double computing = relative({1e10, 0, 0}), talking = relative({0, 1e4, 0});
  const double error_computing = costs->costs[0].standard_error / costs->costs[0].value,
               error_talking = costs->costs[1].standard_error / costs->costs[1].value;
  ASSERT_GT(error_talking, error_computing);
  EXPECT_GT(talking, computing);
}

TEST(Costs, OneProgramHasNoIntervalForAnother) {
  const auto costs = find_costs(made(8, 1, 12, 0, 0.03), {});
  ASSERT_TRUE(costs);
  EXPECT_TRUE(warns(*costs, "all runs are of one program"));
  const Answer found = answer(*costs, costs->runs.runs[0]);
  EXPECT_TRUE(found.same);
  EXPECT_FALSE(found.fresh);
  EXPECT_FALSE(costs->all_programs_out);
}

TEST(Costs, TheNumberOfProgramsThatIntervalsWithoutADistributionNeedIsSaid) {
  const auto few = find_costs(made(9, 3, 6, 0.1, 0.03), {.held_out = false});
  const auto many = find_costs(made(9, 9, 4, 0.1, 0.03), {.held_out = false});
  ASSERT_TRUE(few && many);
  EXPECT_TRUE(warns(*few, "9 would be needed"));
  EXPECT_FALSE(warns(*many, "would be needed"));
}

TEST(Costs, AnOutlierIsNamedWithItsLine) {
  Runs runs = made(10, 3, 8, 0.05, 0.02);
  runs.runs[11].seconds *= 100;
  const auto plain = find_costs(runs, {.held_out = false}),
             robust = find_costs(runs, {.fit = {.robust = true}, .held_out = false});
  ASSERT_TRUE(plain && robust);
  EXPECT_TRUE(warns(*plain, "made:12"));
  EXPECT_TRUE(warns(*robust, "made:12"));
  for (std::size_t j = 0; j < 3; ++j) EXPECT_TRUE(robust->costs[j].identified) << j;
}

}  // namespace
}  // namespace parcast::regress
