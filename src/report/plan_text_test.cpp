// SPDX-License-Identifier: Apache-2.0
#include "report/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

plan::Advice some_advice() {
  plan::Advice out;
  out.parameters = {"p", "n"};
  out.metric = "seconds", out.unit = "s";
  out.now = {{1024, 100}, 40, 20, 80, 4, false};
  out.allowed = {{{2, 4, 8}, true}, {{100}, false}};
  out.cores = "p", out.costs_known = true;
  out.repetitions = 3;
  out.budget = 7200, out.least = 0.05;
  out.worth = 1, out.considered = 3, out.too_dear = 1, out.best = 0.5;
  plan::Proposal proposal;
  proposal.run = {{8, 100}, {15, 10, 20}, {360, 240, 480}, 0.69, 0.5};
  proposal.answer = {40, 28.28, 56.57};
  proposal.reasons = {plan::Separation{"2 p^-1", "3 p^-1 + p", 0.6, 0.3, 15, 18, 4.5}, 4, 3, false};
  out.proposals = {proposal};
  out.notes = {"p has 3 values"};
  return out;
}

TEST(PlanText, SaysTheAnswerTheRunAndWhy) {
  const std::string text = plan_text(some_advice(), {false, 400});
  EXPECT_THAT(text, HasSubstr("seconds at p = 1024, n = 100\n"));
  EXPECT_THAT(text, HasSubstr("  40.0 s      20.0 .. 80.0 (90 %)      4.0 doublings beyond the data\n"));
  EXPECT_THAT(text, HasSubstr("p = 8, n = 100  360 core-s  240 core-s and 480 core-s      50 %   28.3 .. "
                              "56.6\n\n  p = 8, n = 100 tells 2 p^-1 (60 %) from 3 p^-1 + p (30 %): 15.0 s "
                              "or 18.0 s; leaves 3.0 doublings beyond the data instead of 4.0"));
  EXPECT_THAT(text, HasSubstr("3 runs were weighed: p = 2, 4, 8 (from the data); n = 100\n"));
  EXPECT_THAT(text, HasSubstr("a run costs its predicted time x p x 3 repetitions; 1 is above the budget of "
                              "120 core-min, which is what the run asked about would cost"));
  EXPECT_THAT(text, HasSubstr("  ! p has 3 values\n"));
}

TEST(PlanText, SaysThatNoRunIsWorthIt) {
  plan::Advice advice = some_advice();
  advice.dearer = advice.proposals[0];
  advice.proposals.clear(), advice.worth = 0, advice.best = 0.021;
  const std::string text = plan_text(advice, {false, 400});
  EXPECT_THAT(text, HasSubstr("No run within the budget of 120 core-min narrows the interval by 5 % or more; "
                              "the best by 2.1 %.\n"));
  EXPECT_THAT(text, HasSubstr("Beyond it p = 8, n = 100 would narrow it by 50 % for 360 core-s: tells"));
  advice.too_dear = 3;
  EXPECT_THAT(plan_text(advice, {false, 400}),
              HasSubstr("Every allowed run costs more than the budget of 120 core-min."));
  advice.now.low = advice.now.high = advice.now.value;
  EXPECT_THAT(plan_text(advice, {false, 400}), HasSubstr("no run narrows the answer"));
}

TEST(PlanText, WithoutTimesRunsCostTheSame) {
  plan::Advice advice = some_advice();
  advice.costs_known = false, advice.unit = "B";
  const std::string text = plan_text(advice, {false, 400});
  EXPECT_THAT(text, Not(HasSubstr("core-")));
  EXPECT_THAT(text, HasSubstr("20.00 .. 80.00"));
}

TEST(PlanText, JsonHasWhatTheContractSays) {
  const auto json = nlohmann::json::parse(plan_to_json(some_advice()));
  EXPECT_EQ(json["schema"], "parcast.plan/1");
  EXPECT_EQ(json["parameters"]["p"], 1024);
  EXPECT_EQ(json["now"]["high"], 80);
  EXPECT_EQ(json["now"]["doublings_beyond"], 4);
  EXPECT_EQ(json["budget"]["unit"], "core-s");
  EXPECT_EQ(json["allowed"][0]["values"][2], 8);
  EXPECT_EQ(json["allowed"][0]["derived"], true);
  const auto& run = json["runs"][0];
  EXPECT_EQ(run["parameters"]["n"], 100);
  EXPECT_EQ(run["cost"]["low"], 240);
  EXPECT_EQ(run["seconds"]["value"], 15);
  EXPECT_EQ(run["narrower"], 0.5);
  EXPECT_EQ(run["separates"]["formulas"][1]["value"], 18);
  EXPECT_EQ(run["doublings_beyond"]["after"], 3);
  EXPECT_TRUE(json["dearer"].is_null());
}

}  // namespace
}  // namespace parcast::report
