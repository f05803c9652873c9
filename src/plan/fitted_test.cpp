// SPDX-License-Identifier: Apache-2.0
#include "plan/fitted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "plan/expected.h"
#include "plan/next_run.h"
#include "statistics/random.h"

namespace parcast::plan {
namespace {

using Law = std::function<double(double)>;

fit::Kernel sampled(const std::string& metric, const std::vector<double>& at, const Law& law, double noise,
                    std::size_t repetitions = 1, std::uint64_t seed = 5) {
  statistics::Random random(seed);
  fit::Kernel kernel{"", metric, "", {}, {}};
  for (const double x : at) {
    kernel.points.push_back({x});
    kernel.values.emplace_back();
    for (std::size_t r = 0; r < repetitions; ++r)
      kernel.values.back().push_back(law(x) * std::exp(noise * random.normal()));
  }
  return kernel;
}

const std::vector<double> kSix{2, 4, 6, 8, 10, 12};
double line(double x) {
  return 3 + 0.5 * x;
}

TEST(Fitted, AnswersWhatParcastFitAnswers) {
  fit::Measurements data{{"p"}, {sampled("time", kSix, line, 0.03, 3)}, {}};
  const auto fitted = Fitted::of(data, 0, fit::Statistic::median, 0);
  fit::Options options;
  options.asked = {{100}};
  options.statistic = fit::Statistic::median;
  const auto fits = fit::fit_all(data, options);
  ASSERT_TRUE(fitted && fits);
  EXPECT_EQ(fitted->repetitions(), 3u);
  EXPECT_FALSE(fitted->factored());
  EXPECT_EQ(fitted->predict({100}, 0.9).value, fits->kernels[0].predictions[0].value);
  EXPECT_EQ(fitted->at({100}, 0.9).low, fits->kernels[0].predictions[0].low);
  EXPECT_EQ(fitted->at({100}, 0.9).high, fits->kernels[0].predictions[0].high);
}

// The noise of the times hides their law; the count is exact at every point, and the cost of one is about
// constant.
TEST(Fitted, ACountTimesACostAnswersAsParcastFitDoes) {
  const auto count = [](double n) { return n * n * n + 1000 * n; };
  const std::vector<double> five{4, 8, 16, 32, 64};
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 10 && !found; ++seed) {
    fit::Measurements data{{"n"},
                           {sampled(
                                "time", five, [&](double n) { return 1e-6 * count(n); }, 0.1, 1, seed),
                            sampled("visits", five, count, 0)},
                           {}};
    fit::Options options;
    options.asked = {{1024}};
    const auto fits = fit::fit_all(data, options);
    const auto fitted = Fitted::of(data, 0, fit::Statistic::mean, 0);
    ASSERT_TRUE(fitted && fits);
    found = fits->kernels[0].count == "visits";
    EXPECT_EQ(fitted->factored(), found);
    EXPECT_EQ(fitted->predict({1024}, 0.9).value, fits->kernels[0].predictions[0].value);
    EXPECT_EQ(fitted->predict({1024}, 0.9).low, fits->kernels[0].predictions[0].low);
    if (!found) continue;
    EXPECT_NEAR(fitted->count_at({256}) / count(256), 1, 1e-6);
    // The added value is the cost of one item, equal to the cost at the point. So the answer hardly changes,
    // and gets narrower.
    const auto after = fitted->after({256}, fitted->at({256}, 0.9).value);
    EXPECT_NEAR(after->at({1024}, 0.9).value / fitted->at({1024}, 0.9).value, 1, 0.1);
    EXPECT_LT(width(after->at({1024}, 0.9)), width(fitted->at({1024}, 0.9)));
  }
  EXPECT_TRUE(found);
}

TEST(Fitted, AFurtherRunHasTheStatisticThatItMeasuredAndTheUsualScatter) {
  fit::Measurements data{{"p"}, {sampled("time", kSix, line, 0.05, 4)}, {}};
  for (const auto statistic :
       {fit::Statistic::mean, fit::Statistic::median, fit::Statistic::minimum, fit::Statistic::maximum}) {
    const auto fitted = Fitted::of(data, 0, statistic, 0);
    ASSERT_TRUE(fitted);
    const auto after = fitted->after({20}, 11);
    const auto& observations = dynamic_cast<const Fitted&>(*after).model().observations;
    ASSERT_EQ(observations.observed.values.size(), 7u);
    EXPECT_NEAR(observations.observed.values.back(), 11, 1e-9);
    EXPECT_EQ(observations.repetitions, 4u);
    EXPECT_NEAR(observations.run_error / fitted->model().observations.run_error, 1, 0.05);
  }
}

TEST(Fitted, ARunAtAKnownPointJoinsItsRepetitions) {
  fit::Measurements data{{"p"}, {sampled("time", kSix, line, 0.03)}, {}};
  const auto fitted = Fitted::of(data, 0, fit::Statistic::mean, 2);
  ASSERT_TRUE(fitted);
  const double before = fitted->model().observations.observed.values[1];
  const auto after = fitted->after({4}, before * 1.06);
  const auto& observations = dynamic_cast<const Fitted&>(*after).model().observations;
  EXPECT_EQ(observations.observed.values.size(), 6u);
  EXPECT_EQ(observations.repetitions, 3u);
  EXPECT_NEAR(observations.observed.values[1], before * (1 + 2 * 1.06) / 3, 1e-9);
}

TEST(Fitted, BeyondAStraightLineTheFarthestRunNarrowsMostAndARepeatSomewhat) {
  fit::Measurements data{{"p"}, {sampled("time", kSix, line, 0.03)}, {}};
  const auto fitted = Fitted::of(data, 0, fit::Statistic::mean, 1);
  ASSERT_TRUE(fitted);
  const auto plan =
      next_run(*fitted, {}, {.asked = {200}, .allowed = {{{2, 6, 12, 16, 24, 32, 48}}}, .least = 0});
  ASSERT_TRUE(plan);
  ASSERT_FALSE(plan->runs.empty());
  EXPECT_EQ(plan->runs[0].point, Point{48});
  EXPECT_GT(plan->runs[0].narrower, 0.2);
}

TEST(Fitted, NothingPositiveIsRefused) {
  fit::Measurements data{{"p"}, {{"main", "time", "s", {{1}, {2}}, {{0}, {-1}}}}, {}};
  const auto fitted = Fitted::of(data, 0, fit::Statistic::mean, 0);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error().where, "main, time");
}

}  // namespace
}  // namespace parcast::plan
