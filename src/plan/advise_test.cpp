// SPDX-License-Identifier: Apache-2.0
#include "plan/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace parcast::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 60/p + 0.2 p within a few per cent. At four small p, formulas that differ beyond them all still fit.
fit::Measurements four_points() {
  fit::Measurements data{{"p"},
                         {{"", "seconds", "s", {{2}, {4}, {8}, {16}}, {{30.9}, {15.6}, {9.2}, {6.8}}}},
                         {"line 3 was left out"}};
  return data;
}

Request request_for(const fit::Measurements& data, Point asked) {
  Request request;
  request.asked = std::move(asked);
  request.timed = 0;
  request.cores = 0;
  request.allowed.resize(data.parameters.size());
  return request;
}

TEST(Advise, TellsRunsCostsAndWhatTheyRestOn) {
  const auto data = four_points();
  const auto advice = advise(data, request_for(data, {256}));
  ASSERT_TRUE(advice);
  EXPECT_THAT(advice->allowed[0].values, ElementsAre(2, 4, 8, 16, 32, 64));
  EXPECT_TRUE(advice->allowed[0].derived);
  EXPECT_EQ(advice->considered, 6u);
  EXPECT_EQ(advice->cores, "p");
  EXPECT_DOUBLE_EQ(advice->now.distance, 4);
  EXPECT_THAT(advice->notes, testing::Contains("line 3 was left out"));
  ASSERT_FALSE(advice->proposals.empty());
  for (const Proposal& each : advice->proposals) {
    EXPECT_NEAR(each.run.cost.value, each.run.seconds.value * each.run.point[0], 1e-9);
    EXPECT_LE(each.run.cost.value, advice->budget);
    // The interval then is the present one, narrower by the reported fraction.
    const double now = std::log(advice->now.high / advice->now.low),
                 then = std::log(each.answer.high / each.answer.low);
    EXPECT_NEAR(1 - then / now, each.run.narrower, 1e-9);
    EXPECT_GE(each.run.narrower, 0.05);
  }
}

TEST(Advise, ReasonsAreFormulasThatPartAndAShorterWay) {
  const auto data = four_points();
  auto request = request_for(data, {256});
  request.allowed[0] = std::vector<double>{64, 4};
  const auto advice = advise(data, request);
  ASSERT_TRUE(advice);
  ASSERT_FALSE(advice->proposals.empty());
  const Proposal& far = advice->proposals[0];
  EXPECT_THAT(far.run.point, ElementsAre(64));
  EXPECT_DOUBLE_EQ(far.reasons.beyond_before, 4);
  EXPECT_DOUBLE_EQ(far.reasons.beyond_after, 2);
  EXPECT_FALSE(far.reasons.repeats);
  ASSERT_TRUE(far.reasons.separates);
  EXPECT_NE(far.reasons.separates->one, far.reasons.separates->other);
  EXPECT_GE(far.reasons.separates->one_weight, far.reasons.separates->other_weight);
  EXPECT_GE(far.reasons.separates->apart, 2);
}

TEST(Advise, AParameterThatNeverVariedHasNoRunToPropose) {
  fit::Measurements data{
      {"p", "n"}, {{"", "seconds", "s", {{2, 100}, {4, 100}, {8, 100}}, {{30}, {15}, {9}}}}, {}};
  const auto asked = advise(data, request_for(data, {64, 200}));
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().what, HasSubstr("n was 100 in all runs"));
  auto request = request_for(data, {64, 100});
  EXPECT_TRUE(advise(data, request));
  request.allowed[1] = std::vector<double>{100, 200};
  EXPECT_FALSE(advise(data, request));
}

TEST(Advise, ParametersThatMoveTogetherAreRefused) {
  fit::Measurements data{
      {"p", "n"}, {{"", "seconds", "s", {{2, 200}, {4, 400}, {8, 800}}, {{30}, {31}, {33}}}}, {}};
  const auto advice = advise(data, request_for(data, {64, 200}));
  ASSERT_FALSE(advice);
  EXPECT_THAT(advice.error().what, HasSubstr("n moves together"));
  EXPECT_THAT(advice.error().hint, HasSubstr("n changes alone"));
}

TEST(Advise, WhatIsKnownExactlyNeedsNoRun) {
  fit::Measurements data{{"p"}, {{"", "seconds", "s", {{2}, {4}, {8}, {16}}, {{3}, {3}, {3}, {3}}}}, {}};
  const auto advice = advise(data, request_for(data, {64}));
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->now.low, advice->now.high);
  EXPECT_TRUE(advice->proposals.empty());
}

TEST(Advise, BeyondTheBudgetTheBestIsTold) {
  const auto data = four_points();
  auto request = request_for(data, {256});
  request.budget = 1;
  const auto advice = advise(data, request);
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->too_dear, advice->considered);
  EXPECT_TRUE(advice->proposals.empty());
  ASSERT_TRUE(advice->dearer);
  EXPECT_GT(advice->dearer->run.cost.value, 1);
}

}  // namespace
}  // namespace parcast::plan
