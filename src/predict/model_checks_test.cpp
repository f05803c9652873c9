// SPDX-License-Identifier: Apache-2.0
#include "predict/model_checks.h"

#include <gmock/gmock.h>

#include <functional>

#include "observations/testing/synthetic_runs.h"
#include "predict/check_evidence.h"
#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using program::RecordedRun;
using program::RecordedRuns;
using program::RunCheck;

constexpr int kSteps = 12;

/// Seconds of the steps of a loop on rank r; before it a setup that takes 1 ms.
using Time = std::function<double(double n, std::int32_t p, std::int32_t r)>;

recording::Recording timed(double n, std::int32_t processes, const Time& time) {
  return program::testing::record("timed", {{"n", n}}, processes, [&](program::testing::Tape& tape) {
    tape.compute(1e-3);
    tape.collective("MPI_Barrier", 5, recording::Pattern::barrier, recording::kNoPeer, 0);
    tape.begin("solve");
    for (int k = 0; k < kSteps; ++k) {
      tape.compute(time(n, processes, tape.rank()));
      tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
    }
    tape.end();
  });
}

RecordedRuns runs_of(const std::vector<double>& sizes, const std::vector<std::int32_t>& processes,
                     const Time& time) {
  RecordedRuns out;
  for (const std::int32_t p : processes)
    for (const double n : sizes) out.add(timed(n, p, time));
  return out;
}

TEST(ModelChecks, WhatAFormulaGivesIsGivenBack) {
  const RecordedRuns runs =
      runs_of({1000, 2000, 4000}, {1, 2}, [](double n, auto, auto) { return 3e-9 * n; });
  const auto whole = runs.whole_runs().value();
  const auto checks = give_back(runs.make_model().value(), whole, nullptr).value();
  ASSERT_EQ(checks.given_back.size(), 6u);
  const program::Misses misses = program::computing_misses(checks.given_back);
  EXPECT_LT(misses.largest, 0.01);
  const RunCheck& last = checks.given_back.back();
  EXPECT_EQ(last.processes, 2);
  EXPECT_EQ(last.parameters.at("n"), 4000);
  EXPECT_NEAR(last.computing.recorded, 2 * (1e-3 + kSteps * 12e-6), 1e-9);
  EXPECT_NEAR(last.slowest.recorded, 1e-3 + kSteps * 12e-6, 1e-9);
  EXPECT_FALSE(last.total);
  EXPECT_TRUE(checks.machine.empty());
}

// The steps take 3, 50 and 3 us, which no formula fits. The setup, which always takes 1 ms, is reproduced.
TEST(ModelChecks, TimesOfDisturbedAndCrowdedRunsAreNotCompared) {
  const RecordedRuns runs = runs_of({1000, 2000, 4000}, {1}, [](double n, auto, auto) { return 3e-9 * n; });
  auto whole = runs.whole_runs().value();
  whole[1].disturbed = true, whole[2].crowded = true;
  const machine::Machine ideal = machine::ideal_machine();
  const auto checks = give_back(runs.make_model().value(), whole, &ideal).value();
  ASSERT_EQ(checks.given_back.size(), 3u);
  EXPECT_TRUE(checks.given_back[0].total);
  EXPECT_FALSE(checks.given_back[1].total);
  EXPECT_FALSE(checks.given_back[2].total);
}

TEST(ModelChecks, AMissNamesItsSegmentAndRegion) {
  const RecordedRuns runs =
      runs_of({3, 4, 5}, {2}, [](double n, auto, auto) { return n == 4 ? 50e-6 : 3e-6; });
  const program::Model model = runs.make_model().value();
  const auto checks = give_back(model, runs.whole_runs().value(), nullptr).value();
  const RunCheck& missed = checks.given_back[program::computing_misses(checks.given_back).worst];
  ASSERT_TRUE(missed.segment);
  const program::Segment& segment = model.segments[static_cast<std::size_t>(missed.segment->index)];
  EXPECT_EQ(model.nodes[static_cast<std::size_t>(segment.to)].label, "MPI_Allreduce");
  const auto region = std::ranges::find_if(
      missed.regions, [&](const program::ComparedPiece& each) { return each.index == segment.owner; });
  ASSERT_NE(region, missed.regions.end());
  EXPECT_GT(program::miss(region->seconds), 0.3);
}

TEST(ModelChecks, ARankThatComputesLongerThanTheModelGivesIsNamed) {
  const RecordedRuns runs =
      runs_of({1000, 2000}, {4}, [](double n, auto, std::int32_t r) { return (r == 2 ? 6e-9 : 3e-9) * n; });
  const auto checks = give_back(runs.make_model().value(), runs.whole_runs().value(), nullptr).value();
  ASSERT_TRUE(checks.given_back.back().rank);
  EXPECT_EQ(checks.given_back.back().rank->index, 2);
  EXPECT_NEAR(checks.given_back.back().slowest.recorded, 1e-3 + kSteps * 12e-6, 1e-9);
}

TEST(ModelChecks, RunsAreLeftOutByTheLargestValueOfWhatHasThree) {
  const RecordedRuns runs = runs_of({1000, 2000}, {1, 2, 4}, [](double n, auto, auto) { return 3e-9 * n; });
  const auto held = held_out(runs.whole_runs().value());
  ASSERT_EQ(held.size(), 1u);  // n has two values
  EXPECT_EQ(held[0].without, "p");
  EXPECT_EQ(held[0].largest, 4);
  EXPECT_EQ(held[0].remaining, 2);
  EXPECT_EQ(held[0].runs.size(), 2u);
  EXPECT_EQ(held[0].others.size(), 4u);
}

// At the largest size the steps take ten times as long as at the others, which no model of the others can
// predict.
TEST(ModelChecks, AJumpAtTheLargestSizeIsSeenByTheModelWithoutIt) {
  RecordedRuns runs =
      runs_of({1000, 2000, 4000}, {1, 2}, [](double n, auto, auto) { return n == 4000 ? 10e-3 : 1e-3; });
  const auto whole = runs.whole_runs().value();
  const auto held = held_out(whole);
  ASSERT_EQ(held.size(), 1u);
  ForwardErrors errors;
  const auto check = check_forward(runs, whole, held[0], errors).value();
  EXPECT_EQ(check.without, "n");
  const program::Misses misses = program::computing_misses(check.runs);
  EXPECT_EQ(misses.count, 2u);
  EXPECT_NEAR(misses.largest, (1e-3 + kSteps * 10e-3) / (1e-3 + kSteps * 1e-3) - 1, 0.05);
  EXPECT_TRUE(runs.make_model());  // the recordings are complete again
  EXPECT_EQ(runs.recordings().size(), 6u);
}

/// n x 1 ms of computing on each rank, and a barrier.
program::Model proportional_model() {
  by_hand::Builder builder;
  builder.add_parameter("n", {10, 20});
  builder.segment(0, program::kNone, program::kNone, 1, by_hand::proportional(by_hand::parameter("n"), 1e-3));
  return builder.model;
}

RunCheck check_at(double n, program::Compared computing) {
  RunCheck out;
  out.processes = 1;
  out.parameters = {{"n", n}};
  out.computing = computing;
  return out;
}

Prediction predict_at(const program::Model& model, double n) {
  Question question;
  question.point = {{{"n", n}}, 1};
  return equation_engine().predict(model, machine::ideal_machine(), question).value();
}

TEST(CheckEvidence, TheIntervalHoldsWhatTheNearestRecordingTook) {
  program::Model model = proportional_model();
  model.checks.given_back = {check_at(10, {10e-3, 10e-3}), check_at(20, {40e-3, 20e-3})};
  const Prediction near = predict_at(model, 20);
  EXPECT_NEAR(near.seconds.value, 20e-3, 1e-9);
  EXPECT_NEAR(near.seconds.high, 40e-3, 1e-9);
  EXPECT_LT(predict_at(model, 10).seconds.high, 19e-3);
}

TEST(CheckEvidence, AMissedRecordingIsAWarningAtItsPoint) {
  program::Model model = proportional_model();
  model.checks.given_back = {check_at(10, {10e-3, 10e-3}), check_at(20, {40e-3, 20e-3})};
  EXPECT_TRUE(check_warnings(model, {{{"n", 10}}, 1}, "any").empty());
  const auto warnings = check_warnings(model, {{{"n", 20}}, 1}, "any");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "recording-missed");
  EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("p = 1, n = 20"));
  EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("20.0 ms for 40.0 ms"));
}

// Without the runs at n = 20 the model gave two thirds of what that of all runs gives there; from 10 to 20 is
// one step, from 20 to 40 another.
TEST(CheckEvidence, BeyondTheDataTheIntervalHoldsTheMissOfTheLargestRuns) {
  program::Model model = proportional_model();
  model.checks.given_back = {check_at(10, {10e-3, 10e-3}), check_at(20, {20e-3, 20e-3})};
  model.checks.forward = {{"n", 20, 10, {check_at(20, {20e-3, 20e-3 / 1.5})}}};
  const Prediction beyond = predict_at(model, 40);
  EXPECT_NEAR(beyond.seconds.low, 40e-3 / 1.5, 1e-9);
  EXPECT_NEAR(beyond.seconds.high, 40e-3 * 1.5, 1e-9);
  EXPECT_NEAR(predict_at(model, 80).seconds.high, 80e-3 * 1.5 * 1.5, 1e-9);
  EXPECT_LT(predict_at(model, 20).seconds.high, 25e-3);
  ASSERT_TRUE(beyond.checks);
  EXPECT_NEAR(beyond.checks->forward, 0.5, 1e-12);
}

// The run at n = 20 took half as long again as the others give for it, by chance: both models give 20 ms.
TEST(CheckEvidence, NoiseOfTheLargestRunsIsNoGrowthThatWasMissed) {
  program::Model model = proportional_model();
  model.checks.given_back = {check_at(10, {10e-3, 10e-3}), check_at(20, {30e-3, 20e-3})};
  const double without = predict_at(model, 40).seconds.low;
  model.checks.forward = {{"n", 20, 10, {check_at(20, {30e-3, 20e-3})}}};
  EXPECT_NEAR(predict_at(model, 40).seconds.low, without, 1e-12);
  EXPECT_NEAR(predict_at(model, 40).checks->forward, 0.5, 1e-12);
}

TEST(CheckEvidence, AModelThatWasNotCheckedHasNoSummary) {
  EXPECT_FALSE(predict_at(proportional_model(), 20).checks);
}

}  // namespace
}  // namespace parcast::predict
