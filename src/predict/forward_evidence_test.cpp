// SPDX-License-Identifier: Apache-2.0
#include "predict/forward_evidence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using program::Model;
using program::Point;
using program::RunCheck;

constexpr double kLevel = 0.9;
constexpr double kQuantile = 2.919986;  // Student's t, two degrees of freedom, 95 %

RunCheck run_at(double n, double recorded, double given) {
  RunCheck out;
  out.processes = 1;
  out.parameters = {{"n", n}};
  out.computing = {recorded, given};
  return out;
}

/// Computing of n x 1 ms; models without the runs at n = 20 missed them by factors of 1.2 and 1 / 1.1.
Model checked_model() {
  by_hand::Builder builder;
  builder.model.processes = {1};
  builder.add_parameter("n", {10, 20});
  builder.segment(0, program::kNone, program::kNone, 1, by_hand::proportional(by_hand::parameter("n"), 1e-3));
  Model& model = builder.model;
  model.checks.given_back = {run_at(10, 10e-3, 10e-3), run_at(20, 22e-3, 22e-3)};
  model.checks.forward = {{"n", 20, 10, {run_at(20, 24e-3, 20e-3), run_at(20, 20e-3, 22e-3)}}};
  return model;
}

// The model of all runs gives 22 ms, factors of 1.1 and 1 more than the others.
const double kGrowth = std::log(1.1) / std::sqrt(2);
const double kError = std::sqrt((std::pow(std::log(1.2), 2) + std::pow(std::log(1.1), 2)) / 2);

Point at(double n) {
  return {{{"n", n}}, 1};
}

TEST(ForwardEvidence, TheWidthGrowsWithTheStepsBeyondTheData) {
  const ForwardEvidence evidence(checked_model());
  EXPECT_NEAR(evidence.half_width(at(40), kLevel).value(), kQuantile * std::hypot(kError, kGrowth), 1e-5);
  EXPECT_NEAR(evidence.half_width(at(80), kLevel).value(), kQuantile * std::hypot(kError, 2 * kGrowth), 1e-5);
  // less than a step counts as one
  EXPECT_NEAR(evidence.half_width(at(21), kLevel).value(), kQuantile * std::hypot(kError, kGrowth), 1e-5);
  EXPECT_NEAR(evidence.half_width(at(15), kLevel).value(), kQuantile * kError, 1e-5);
}

TEST(ForwardEvidence, NothingFollowsWhereNoCheckReaches) {
  Model model = checked_model();
  EXPECT_FALSE(ForwardEvidence(model).half_width(at(5), kLevel));
  EXPECT_FALSE(
      ForwardEvidence(model).half_width({{{"n", 40}}, 4}, kLevel));  // one process count was recorded
  model.checks.given_back.clear();
  EXPECT_FALSE(ForwardEvidence(model).half_width(at(40), kLevel));
  model = checked_model();
  model.checks.forward.clear();
  EXPECT_FALSE(ForwardEvidence(model).half_width(at(40), kLevel));
}

TEST(ForwardEvidence, AParameterOutsideOfAllCostsNeedsNoCheck) {
  by_hand::Builder builder;
  builder.model = checked_model();
  builder.add_parameter("columns", {1, 2});
  const ForwardEvidence evidence(builder.model);
  EXPECT_NEAR(evidence.half_width({{{"n", 40}, {"columns", 8}}, 1}, kLevel).value(),
              kQuantile * std::hypot(kError, kGrowth), 1e-5);
}

TEST(ForwardEvidence, AParameterThatNeverVariedMayBeHiddenInCountedWork) {
  by_hand::Builder builder;
  builder.model = checked_model();
  builder.add_parameter("m", {1});
  EXPECT_TRUE(ForwardEvidence(builder.model).half_width({{{"n", 40}, {"m", 2}}, 1}, kLevel));
  builder.model.segments[0].cost.unsure = 0.1;
  EXPECT_FALSE(ForwardEvidence(builder.model).half_width({{{"n", 40}, {"m", 2}}, 1}, kLevel));
  EXPECT_TRUE(ForwardEvidence(builder.model).half_width({{{"n", 40}, {"m", 1}}, 1}, kLevel));
}

TEST(ForwardEvidence, SlowedRunsDoNotCount) {
  Model model = checked_model();
  model.checks.forward[0].runs.push_back(run_at(20, 200e-3, 20e-3));
  model.checks.forward[0].runs.back().slowed = true;
  EXPECT_NEAR(ForwardEvidence(model).half_width(at(40), kLevel).value(),
              kQuantile * std::hypot(kError, kGrowth), 1e-5);
}

}  // namespace
}  // namespace parcast::predict
