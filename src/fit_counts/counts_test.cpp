// SPDX-License-Identifier: Apache-2.0
// Counts from traces: repeated recordings, and processes that did not reach their end.
#include "fit_counts/counts.h"

#include <gtest/gtest.h>

#include "fit_counts/testing/test_designs.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using Truth = std::function<std::int64_t(const Place&)>;

const std::vector<std::int32_t> kProcesses{1, 2, 3, 4, 6, 8, 9};
const std::vector<double> kSizes{21, 32, 45, 64, 83, 100, 137, 150};

Trace whole_rank(std::size_t run, std::int32_t rank) {
  Trace trace;
  trace.run = run;
  trace.rank = rank;
  trace.complete = true;
  return trace;
}

struct Repeated {
  std::vector<Run> runs;
  Traces traces;
  std::vector<std::int64_t> values;
};
Repeated repeated(const Truth& truth, int times) {
  Repeated all;
  for (const std::int32_t p : kProcesses)
    for (const double n : kSizes)
      for (int k = 0; k < times; ++k) {
        for (std::int32_t r = 0; r < p; ++r) {
          all.traces.traces.push_back(whole_rank(all.runs.size(), r));
          const double parameters[]{n};
          all.values.push_back(truth(place_at(parameters, p, r, {})));
        }
        all.runs.push_back({{n}, p});
      }
  return all;
}

TEST(Counts, RecordingsOfOnePointThatAgreeAreExact) {
  const Repeated all = repeated([](const Place& at) { return 2 * at.parameters[0]; }, 2);
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  EXPECT_EQ(builder.build(all.values, true).origin, Origin::exact);
}

// A loop of `steps` rounds whose body tests (k + 1) % every == 0, or k % every == 0.
TEST(Counts, OutputsOfEveryFewStepsAreARatioOfParameters) {
  std::vector<std::pair<double, double>> points;
  for (const double steps : {20, 47, 100, 161})
    for (const double every : {3, 5, 8, 13}) points.push_back({steps, every});
  for (const int first : {1, 0}) {
    std::vector<program::Run> runs;
    Traces traces;
    std::vector<std::int64_t> values;
    for (const std::int32_t p : {1, 2, 4, 6})
      for (const auto& [steps, every] : points) {
        std::int64_t outputs = 0;
        for (int k = 0; k < static_cast<int>(steps); ++k)
          outputs += (k + first) % static_cast<int>(every) == 0;
        for (std::int32_t r = 0; r < p; ++r) {
          traces.traces.push_back(whole_rank(runs.size(), r));
          values.push_back(3 * outputs);
        }
        runs.push_back({{steps, every}, p});
      }
    CountBuilder builder({"steps", "every"}, runs, {}, traces);
    const Count count = builder.build(values, true);
    EXPECT_EQ(count.origin, Origin::exact) << symbolic::to_text(count.expression);
    const auto value = value_of(count, testing::symbols_at(builder.design(), {1000, 7}, 2, 1));
    ASSERT_TRUE(value);
    EXPECT_EQ(value->value, 3 * (first == 1 ? 142 : 143));  // 1000 / 7 = 142.86
  }
}

TEST(Counts, RecordingsOfOnePointThatDisagreeAreFittedWithTheirSpread) {
  Repeated all = repeated([](const Place& at) { return 100 * at.parameters[0]; }, 2);
  // In every second run each process has a tenth more.
  for (std::size_t t = 0; t < all.values.size(); ++t)
    if (all.traces.traces[t].run % 2 == 1) all.values[t] += all.values[t] / 10;
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  const Count count = builder.build(all.values, true);
  EXPECT_EQ(count.origin, Origin::fitted);
  EXPECT_GT(count.relative_error, 0.04);  // half the difference, over the mean: 5 / 105
  EXPECT_LT(count.relative_error, 0.15);
  const auto value = value_of(count, testing::symbols_at(builder.design(), {64}, 4, 0));
  ASSERT_TRUE(value);
  EXPECT_NEAR(value->value, 105 * 64, 0.05 * 105 * 64);
  EXPECT_LE(value->low, 100 * 64);
  EXPECT_GE(value->high, 110 * 64);
}

TEST(Counts, ACallThatTriesIsNeverExactUnlessItNeverHappens) {
  const Repeated all = repeated([](const Place& at) { return 2 * at.parameters[0]; }, 1);
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  EXPECT_EQ(builder.build(all.values, false).origin, Origin::fitted);
  EXPECT_EQ(builder.build(std::vector<std::int64_t>(all.values.size(), 0), false).origin, Origin::exact);
}

// Polls, seen eight times as often on 4 processes as on 2, by chance. The grid's extent is half of p in both.
// At 64 processes, 16 times as many, there are at most 16 times the polls of 4.
TEST(Counts, AFittedCountGrowsNoFasterThanTheProcesses) {
  std::vector<program::Run> runs;
  Traces traces;
  std::vector<std::int64_t> values;
  for (const std::int32_t p : {2, 4})
    for (const double n : {8, 12, 16}) {
      for (std::int32_t r = 0; r < p; ++r) {
        traces.traces.push_back(whole_rank(runs.size(), r));
        values.push_back(static_cast<std::int64_t>((p == 4 ? 80 : 10) * n) + 7 * r);
      }
      runs.push_back({{n, p / 2.0}, p});
    }
  CountBuilder builder({"n", "pz"}, runs, {}, traces);
  const Count count = builder.build(values, false);
  EXPECT_EQ(count.origin, Origin::fitted);
  const auto at = [&](double pz, std::int32_t p) {
    const auto value = value_of(count, testing::symbols_at(builder.design(), {16, pz}, p, 0));
    return value ? value->value : -1;
  };
  EXPECT_GT(at(2, 4), 500);
  EXPECT_LE(at(32, 64), 16.5 * at(2, 4)) << symbolic::to_text(count.expression);
  EXPECT_EQ(at(8, 64), at(32, 64));  // of the extent nothing is known but that it is a part of p
}

// n / 10, and one more in about half of the processes, without a rule. It never happens on one process.
TEST(Counts, WhatOneProcessNeverDoesStartsWithTwo) {
  const Repeated all = repeated(
      [](const Place& at) {
        return at.p > 1 ? static_cast<std::int64_t>(at.parameters[0] / 10) + (at.r * 7 + at.p * 3) % 5 % 2
                        : 0;
      },
      1);
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  const Count count = builder.build(all.values, false);
  const auto at = [&](double n, std::int32_t p) {
    return value_of(count, testing::symbols_at(builder.design(), {n}, p, 0))->value;
  };
  EXPECT_EQ(at(150, 1), 0);
  EXPECT_NEAR(at(150, 2), 15.5, 1.5);
  EXPECT_NEAR(at(150, 64), 15.5, 2.5);
}

// Occurs only between three and eight processes, as inner ranks of some grids do.
TEST(Counts, WhatHappensBetweenTwoProcessCountsIsNothingOutside) {
  const Repeated all = repeated(
      [](const Place& at) { return at.p >= 3 && at.p < 8 ? 40 + (at.r * 7 + at.p * 3) % 5 % 2 : 0; }, 1);
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  const Count count = builder.build(all.values, false);
  const auto at = [&](std::int32_t p) {
    return value_of(count, testing::symbols_at(builder.design(), {64}, p, 0))->value;
  };
  for (const std::int32_t p : {1, 2, 8, 9, 64}) EXPECT_EQ(at(p), 0) << p;
  for (const std::int32_t p : {3, 4, 6}) EXPECT_NEAR(at(p), 40.5, 1.5) << p;
}

// Like rank 0 polling for the messages of the others: about n / 2, and 0 on one process.
TEST(Counts, WhatIsFittedIsNothingWhereItNeverHappens) {
  const Repeated all = repeated(
      [](const Place& at) {
        return at.r == 0 && at.p > 1 ? static_cast<std::int64_t>(at.parameters[0] / 2) : 0;
      },
      1);
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  const Count count = builder.build(all.values, false);
  EXPECT_EQ(count.origin, Origin::fitted);
  const auto at = [&](double n, std::int32_t p, std::int32_t r) {
    return value_of(count, testing::symbols_at(builder.design(), {n}, p, r))->value;
  };
  EXPECT_EQ(at(150, 1, 0), 0);
  EXPECT_EQ(at(150, 4, 1), 0);
  EXPECT_EQ(at(600, 16, 8), 0);
  EXPECT_NEAR(at(150, 4, 0), 75, 3);
  EXPECT_NEAR(at(64, 9, 0), 32, 2);
}

// Without a rule for the processes concerned, the mean over all ranks is kept.
TEST(Counts, WhatSomeDoByChanceIsTheMeanOfAll) {
  Repeated all = repeated([](const Place&) { return std::int64_t{10}; }, 2);
  for (std::size_t t = 0; t < all.values.size(); ++t)
    if (all.traces.traces[t].run % 2 == 1) all.values[t] = 0;
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  const auto value =
      value_of(builder.build(all.values, false), testing::symbols_at(builder.design(), {64}, 4, 2));
  ASSERT_TRUE(value);
  EXPECT_NEAR(value->value, 5, 0.1);
}

// On 2 and 4 processes, 42 p is 84 log2 p. Another call is made 3 and 6 times, which is no multiple of p.
TEST(Counts, CountsThatAreMultiplesOfEachOtherHaveOneFormula) {
  std::vector<program::Run> runs;
  Traces traces;
  std::vector<std::int64_t> many, within;
  for (const std::int32_t p : {2, 4})
    for (const double n : {21, 32, 45}) {
      const std::int64_t rounds = p / 2;
      for (std::int32_t r = 0; r < p; ++r) {
        traces.traces.push_back(whole_rank(runs.size(), r));
        traces.traces.back().calls[0].executions = 3 * rounds;
        traces.traces.back().calls[1].executions = 84 * rounds;
        many.push_back(84 * rounds), within.push_back(84 * rounds - 42);
      }
      runs.push_back({{n}, p});
    }
  CountBuilder builder({"n"}, runs, {}, traces);
  EXPECT_EQ(symbolic::to_text(builder.build(many, true).expression), "84*ceil(log2(p))");
  const Count count = builder.build(within, true);
  EXPECT_EQ(count.origin, Origin::ambiguous);
  for (const auto& [p, expected] : std::map<std::int32_t, double>{{1, 0}, {2, 42}, {4, 126}, {64, 462}}) {
    const auto value =
        symbolic::evaluate(count.expression, testing::symbols_at(builder.design(), {32}, p, 0));
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, expected) << p;
  }
  for (Trace& trace : traces.traces) trace.calls.erase(0);
  CountBuilder without({"n"}, runs, {}, traces);
  EXPECT_EQ(symbolic::to_text(without.build(many, true).expression), "42*p");
}

// A solver's number of rounds s follows no formula. Per round, ranks sum 151 times and exchange 551 times,
// and 204 times before; an exchange has a message to each other process.
TEST(Counts, WhatFollowsFromTheSameRoundsHasOneFit) {
  const std::map<std::pair<std::int32_t, double>, std::int64_t> rounds{
      {{2, 16}, 23}, {{2, 24}, 5}, {{2, 32}, 7}, {{4, 16}, 11}, {{4, 24}, 3}, {{4, 32}, 4}};
  std::vector<program::Run> runs;
  Traces traces;
  std::vector<std::int64_t> sums, others, messages;
  for (const auto& [point, s] : rounds) {
    for (std::int32_t r = 0; r < point.first; ++r) {
      traces.traces.push_back(whole_rank(runs.size(), r));
      sums.push_back(151 * s), others.push_back(450 * s + 164);
      messages.push_back((point.first - 1) * (551 * s + 204));
      traces.traces.back().calls[0].executions = sums.back();
      traces.traces.back().calls[1].executions = messages.back();
      traces.traces.back().transitions[0].traversals = 551 * s + 204;
    }
    runs.push_back({{point.second}, point.first});
  }
  CountBuilder builder({"n"}, runs, {}, traces);
  for (const auto& [p, n] : std::vector<std::pair<std::int32_t, double>>{{2, 24}, {4, 16}, {4, 48}}) {
    const auto at = [&](const std::vector<std::int64_t>& values) {
      const Count count = builder.build(values, true);
      EXPECT_EQ(count.origin, Origin::fitted);
      const auto value =
          symbolic::evaluate(count.expression, testing::symbols_at(builder.design(), {n}, p, 0));
      return value ? *value : NAN;
    };
    const double s = at(sums) / 151;
    EXPECT_GT(s, 0);
    EXPECT_NEAR(at(others), 450 * s + 164, 1e-6 * s * 450) << p << ' ' << n;
    EXPECT_NEAR(at(messages), (p - 1) * (551 * s + 204), 1e-6 * s * 551) << p << ' ' << n;
  }
}

TEST(Counts, AnIncompleteProcessDoesNotSpoilTheOthers) {
  Repeated all = repeated([](const Place& at) { return 2 * at.parameters[0] + at.r; }, 1);
  for (const std::size_t t : {3u, 40u, 77u}) {
    all.traces.traces[t].complete = false;
    all.values[t] = 1;
  }
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  const Count count = builder.build(all.values, true);
  EXPECT_EQ(count.origin, Origin::exact);
  EXPECT_EQ(symbolic::to_text(count.expression), "2*n + r");
}

TEST(Counts, WithoutACompleteProcessTheMeanIsAllThatIsKnown) {
  Repeated all = repeated([](const Place&) { return std::int64_t{12}; }, 1);
  for (Trace& trace : all.traces.traces) trace.complete = false;
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  const Count count = builder.build(all.values, true);
  EXPECT_EQ(count.origin, Origin::unknown);
  EXPECT_NEAR(count.expression.number(), 12, 1e-6);
}

TEST(Counts, TheDistributionOfWorkIsRememberedFromExactCounts) {
  const Repeated all =
      repeated([](const Place& at) { return 8 * testing::block(at.parameters[0], at.p, at.r); }, 1);
  CountBuilder builder({"n"}, all.runs, {}, all.traces);
  EXPECT_TRUE(builder.distributions().empty());
  ASSERT_EQ(builder.build(all.values, true).origin, Origin::exact);
  ASSERT_EQ(builder.distributions().size(), 1u);
  EXPECT_EQ(builder.distributions()[0], (Factor{Factor::Kind::block_cyclic, {}, 0}));
}

}  // namespace
}  // namespace parcast::program
