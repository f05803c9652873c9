// SPDX-License-Identifier: Apache-2.0
#include "plan/next_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/test_line.h"

namespace parcast::plan {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

Line seven_points() {
  std::vector<Point> points;
  std::vector<double> logarithms;
  for (int i = 1; i <= 7; ++i) {
    points.push_back({static_cast<double>(i)});
    logarithms.push_back(1 + 0.2 * i + (i % 2 ? 0.02 : -0.02));
  }
  return {points, logarithms};
}

std::vector<Point> points_of(const std::vector<plan::Run>& runs) {
  std::vector<Point> out;
  for (const plan::Run& run : runs) out.push_back(run.point);
  return out;
}

plan::Run run_of(double cost, double narrower) {
  plan::Run run;
  run.point = {cost};
  run.cost.value = cost;
  run.narrower = narrower;
  return run;
}

// For a straight line, the farther the next point lies, the smaller the variance at a point beyond the data
// (c-optimality).
TEST(NextRun, OfALineBeyondTheDataIsTheFarthestAllowedOne) {
  const Line line = seven_points();
  const auto plan = next_run(line, {}, {.asked = {20}, .allowed = {{{1, 3, 5, 7, 9, 12, 15}}}, .least = 0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->runs.front().point, Point{15});
  EXPECT_NEAR(plan->width, 2 * line.half_width({20}, 0.9), 1e-12);
  EXPECT_NEAR(plan->runs.front().width / expected_width_of_line(line, {15}, {20}, 0.9), 1, 0.02);
}

// Two arguments on a grid: the order of all candidates is that of the analytic variances at the point in
// question.
TEST(NextRun, TheOrderIsThatOfAnalyticVariances) {
  std::vector<Point> points;
  std::vector<double> logarithms;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      points.push_back({static_cast<double>(i), static_cast<double>(2 * j)});
      logarithms.push_back(0.5 + 0.1 * i - 0.2 * j + 0.01 * ((7 * i + 5 * j) % 3));
    }
  const Line line(points, logarithms);
  const Point asked{9, -3};
  const auto plan =
      next_run(line, {}, {.asked = asked, .allowed = {{{0, 2, 4, 6}}, {{-2, 0, 1, 4, 5}}}, .least = -1});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->considered, 20u);
  // If all runs cost the same, the rule takes the narrowest, so the list is sorted by the remaining variance.
  double before = 0;
  Point best;
  double least = INFINITY;
  for (const plan::Run& run : plan->runs) {
    const double across = line.leverage(asked, run.point);
    const double left =
        line.leverage(asked, asked) - across * across / (1 + line.leverage(run.point, run.point));
    EXPECT_GE(left, before - 1e-9);
    before = left;
    if (left < least) least = left, best = run.point;
  }
  EXPECT_EQ(plan->runs.front().point, best);
  EXPECT_EQ(best, (Point{6, -2}));
}

TEST(NextRun, TheCheapestOfThoseThatAreAboutAsGoodComesFirst) {
  std::vector<plan::Run> runs{run_of(100, 0.40), run_of(50, 0.37), run_of(10, 0.20), run_of(20, 0.35)};
  rank(runs);
  // 0.37 >= 0.9 x 0.40 and costs half; then 0.40 itself; then 0.35; 0.20 is not 0.9 x 0.35.
  EXPECT_THAT(points_of(runs), ElementsAre(Point{50}, Point{100}, Point{20}, Point{10}));
}

// The median is t = exp(1 + 0.2 x) seconds, on x cores, twice: at 5 that is 10 exp(2) = 73.9, at 10 it is 20
// exp(3) = 401.7.
TEST(NextRun, CostsAreSecondsTimesCoresTimesRepetitionsAndTheBudgetCutsThem) {
  const Line line = seven_points();
  const Cost cost{&line, 1, 0, 2};
  const Question question{.asked = {20}, .allowed = {{{5, 10}}}, .budget = 100, .least = 0.01};
  const auto plan = next_run(line, cost, question);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->considered, 2u);
  EXPECT_EQ(plan->too_dear, 1u);
  ASSERT_THAT(plan->runs, SizeIs(1));
  ASSERT_THAT(plan->beyond, SizeIs(1));
  EXPECT_NEAR(plan->runs[0].cost.value / (10 * std::exp(2)), 1, 0.02);
  EXPECT_NEAR(plan->beyond[0].cost.value / (20 * std::exp(3)), 1, 0.02);
  EXPECT_NEAR(plan->runs[0].cost.high / plan->runs[0].cost.low, std::exp(2 * line.half_width({5}, 0.9)),
              1e-9);
}

TEST(NextRun, WithoutABudgetNothingDearerThanWhatIsAskedIsProposed) {
  const Line line = seven_points();
  const auto plan = next_run(line, {&line, 1, 0, 1}, {.asked = {10}, .allowed = {{{5, 9, 11}}}, .least = -1});
  ASSERT_TRUE(plan);
  EXPECT_NEAR(plan->budget / (10 * std::exp(3)), 1, 0.02);
  EXPECT_THAT(points_of(plan->runs), testing::UnorderedElementsAre(Point{5}, Point{9}));
}

TEST(NextRun, WhatNarrowsTooLittleIsNotProposedButTold) {
  const Line line = seven_points();
  const auto plan = next_run(line, {}, {.asked = {20}, .allowed = {{{4}}}, .least = 0.5});
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->runs, SizeIs(0));
  EXPECT_NEAR(plan->best, 1 - expected_width_of_line(line, {4}, {20}, 0.9) / plan->width, 0.02);
}

TEST(NextRun, DoesNotDependOnThreads) {
  const Line line = seven_points();
  Question question{.asked = {20}, .allowed = {{{1, 2, 3, 4, 5, 6, 7, 8, 9}}}, .least = -1, .threads = 1};
  const auto one = next_run(line, {}, question);
  question.threads = 5;
  const auto five = next_run(line, {}, question);
  ASSERT_TRUE(one && five);
  ASSERT_EQ(points_of(one->runs), points_of(five->runs));
  for (std::size_t i = 0; i < one->runs.size(); ++i) EXPECT_EQ(one->runs[i].width, five->runs[i].width);
}

TEST(NextRun, ProgressEndsWithOneOnTheCallingThread) {
  const Line line = seven_points();
  double last = 0;
  ASSERT_TRUE(next_run(line, {},
                       {.asked = {20}, .allowed = {{{1, 2, 3}}}, .threads = 1, .progress = [&](double share) {
                          last = share;
                        }}));
  EXPECT_EQ(last, 1);
}

TEST(NextRun, TooManyAllowedRunsAreRefused) {
  std::vector<double> many;
  for (int i = 0; i < 200; ++i) many.push_back(i);
  const Line line({{0, 0}, {1, 0}, {0, 1}, {1, 1}}, {0, 1, 1, 2.1});
  const auto plan = next_run(line, {}, {.asked = {9, 9}, .allowed = {{many}, {many}}});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what, "the allowed values make more than 20000 runs");
  EXPECT_FALSE(next_run(line, {}, {.asked = {9, 9}, .allowed = {{many}, {{}}}}));
}

}  // namespace
}  // namespace parcast::plan
