// SPDX-License-Identifier: Apache-2.0
#include "predict/reconcile.h"

#include <gtest/gtest.h>

#include <numeric>

#include "build_model/recorded_runs.h"
#include "observations/testing/synthetic_runs.h"
#include "predict/corrections.h"

namespace parcast::predict {
namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Standard deviations 1 and 2, correlated by 0.3: the sum of 30 has the variance 0.7 (1 + 4) + 0.3 (1 + 2)^2
// = 6.2. Their total is 33 with the variance 1.65^2. Weighted by variance, the sum becomes 32.08458, which
// is 2.08458 more. Of these the parts take their covariances with the sum, 1.6 and 4.6 of 6.2.
TEST(Reconcile, PartsTakeWhatTheWholeAddsByTheirCovarianceWithTheSum) {
  const std::vector<Weighed> values{{10, 0.1}, {20, 0.1}};
  Group group;
  group.whole = Weighed{33, 0.05};
  group.parts = {0, 1};
  const auto out = reconciled_values(values, {group});
  const double own = 1.65 * 1.65, total = (30 * own + 33 * 6.2) / (own + 6.2);
  EXPECT_NEAR(sum_of(out), total, 1e-9);
  EXPECT_NEAR(out[0], 10 + (total - 30) * 1.6 / 6.2, 1e-9);
  EXPECT_NEAR(out[1], 20 + (total - 30) * 4.6 / 6.2, 1e-9);
}

TEST(Reconcile, WithoutForecastsNothingMoves) {
  Group group;
  group.parts = {0, 1};
  EXPECT_EQ(reconciled_values({{1, 0.1}, {2, 3}}, {group}), (std::vector<double>{1, 2}));
}

// The forward check found the sum of the parts 40 % off, and the forecast of the whole 2 %.
TEST(Reconcile, AWholeThatWasRightMovesPartsThatWereWrong) {
  Group group;
  group.whole = Weighed{15, 0.02};
  group.error_of_parts = 0.4;
  group.parts = {0, 1};
  const auto out = reconciled_values({{10, 0.05}, {20, 0.05}}, {group});
  EXPECT_NEAR(sum_of(out), 15, 0.1);
  for (const double value : out) EXPECT_GT(value, 0);
}

TEST(Reconcile, AFragilePartMovesAndAFirmOneStays) {
  Group group;
  group.whole = Weighed{20, 0.01};
  group.parts = {0, 1};
  const auto out = reconciled_values({{10, 0.02}, {30, 2}}, {group});
  EXPECT_NEAR(out[0], 10, 1);
  EXPECT_NEAR(sum_of(out), 20, 0.1);
}

TEST(Reconcile, PartsOfInnerGroupsAddUpToTheJoinedWhole) {
  Group outer, inner;
  outer.whole = Weighed{50, 0.01};
  outer.parts = {0};
  outer.groups = {1};
  inner.whole = Weighed{30, 0.01};
  inner.parts = {1, 2};
  const auto out = reconciled_values({{10, 1}, {20, 0.1}, {20, 0.1}}, {outer, inner});
  EXPECT_NEAR(out[1] + out[2], 30, 0.5);
  EXPECT_NEAR(sum_of(out), 50, 0.5);
}

// The program has no forecast, for example since a recording lacks it.
TEST(Reconcile, EachOfTwoOuterGroupsMovesItsParts) {
  Group first, second;
  first.whole = Weighed{20, 0.001}, first.parts = {0};
  second.whole = Weighed{5, 0.001}, second.parts = {1};
  const auto out = reconciled_values({{10, 0.5}, {10, 0.5}}, {first, second});
  EXPECT_NEAR(out[0], 20, 0.01);
  EXPECT_NEAR(out[1], 5, 0.01);
}

// No part falls below a tenth of itself: the others give the rest.
TEST(Reconcile, NoPartBecomesNegative) {
  Group group;
  group.whole = Weighed{12, 0.001};
  group.parts = {0, 1};
  const auto out = reconciled_values({{20, 0.5}, {10, 0.01}}, {group});
  EXPECT_GE(out[0], 2 - 1e-9);
  EXPECT_GE(out[1], 1);
  EXPECT_NEAR(sum_of(out), 12, 0.1);
}

/// One process; the recordings' noise is in two calls that follow each other, not in their sum.
program::RecordedRuns runs_with_shifting_parts() {
  program::RecordedRuns runs;
  int shift = 1;
  for (const double n : {100., 200., 400.}) {
    const double part = 0.5 + 0.1 * shift;
    shift = -shift;
    runs.add(program::testing::record("app", {{"n", n}}, 1, [&](program::testing::Tape& tape) {
      for (int i = 0; i < 10; ++i) {
        tape.compute(part * n * 1e-5),
            tape.collective("MPI_Barrier", 1, recording::Pattern::barrier, recording::kNoPeer, 0);
        tape.compute((1 - part) * n * 1e-5),
            tape.collective("MPI_Barrier", 2, recording::Pattern::barrier, recording::kNoPeer, 0);
      }
    }));
  }
  return runs;
}

double computing(const program::Model& model, double n) {
  const auto binding = bind(model, {{{"n", n}}, 1}, 0);
  double sum = 0;
  for (const program::Segment& segment : model.segments) {
    std::vector<double> at;
    for (const auto& argument : segment.cost.arguments) at.push_back(*symbolic::evaluate(argument, *binding));
    sum += *symbolic::evaluate(segment.executions.expression, *binding) * segment.cost.growth->predict(at);
  }
  return sum;
}

// 10 x n x 10 us, whatever the two calls share.
TEST(Reconcile, TheWholeCorrectsPartsThatFailedInTheForwardCheck) {
  auto model = runs_with_shifting_parts().make_model();
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_FALSE(model->forecasts.empty());
  const program::Point point{{{"n", 3200}}, 1};
  program::Forecast& forecast = model->forecasts.front();
  const auto whole = Corrections(*model).forecasts_at(point).front();
  ASSERT_TRUE(whole);
  EXPECT_NEAR(whole->value, 0.32, 0.01);
  forecast.error = 0.01, forecast.error_of_parts = 0.3;
  const program::Model reconciled = model_at(*model, point);
  EXPECT_NEAR(computing(reconciled, 3200), 0.32, 0.01);
  EXPECT_TRUE(reconciled.forecasts.empty());
  // Without that evidence the parts stay as they were fitted.
  forecast.error = 0.29;
  EXPECT_EQ(computing(model_at(*model, point), 3200), computing(*model, 3200));
}

TEST(Reconcile, AVariableThatNeverVariedHasNoForecast) {
  const auto model = runs_with_shifting_parts().make_model();
  ASSERT_TRUE(model);
  const Corrections corrections(*model);
  EXPECT_TRUE(corrections.forecasts_at({{{"n", 3200}}, 1}).front());
  EXPECT_FALSE(corrections.forecasts_at({{{"n", 3200}}, 2}).front());
}

TEST(Reconcile, TheForwardCheckDecidesWhetherTheWholeIsUsed) {
  EXPECT_TRUE(is_better_as_a_whole(0.05, 0.3));
  EXPECT_FALSE(is_better_as_a_whole(0.3, 0.05));
  EXPECT_FALSE(is_better_as_a_whole(0.28, 0.35));
  EXPECT_FALSE(is_better_as_a_whole(0.1, 0.35));  // by a factor of 3.5, which chance reaches
  EXPECT_FALSE(is_better_as_a_whole(0, 0.3));     // not checked
}

}  // namespace
}  // namespace parcast::predict
