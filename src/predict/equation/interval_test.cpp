// SPDX-License-Identifier: Apache-2.0
// Intervals: errors with a common source are added, independent ones are added in squares, and no time
// becomes negative.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "observations/sessions.h"
#include "predict/equation/equation.h"
#include "predict/intervals.h"
#include "predict/model_builder.h"
#include "statistics/distribution.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::NodeId;
using program::Synchronisation;
using recording::Pattern;

const double kZ = statistics::normal_quantile(0.95);

Prediction predict(const program::Model& model, const machine::Machine& m, const Question& q) {
  const auto result = equation_engine().predict(model, m, q);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? result.value() : Prediction{};
}

// A model with `count` loops, each with one collective and one segment.
Builder loops(int count, double relative_error) {
  Builder b;
  b.model.processes = {2, 4};
  for (int i = 0; i < count; ++i) {
    const NodeId loop = b.loop(0, 100);
    const NodeId call =
        b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 100, 8);
    const std::size_t s = b.segment(loop, call, call, 100, proportional(Expression(1), 1e-3));
    statistics::GrowthModel growth = b.model.segments[s].cost.growth;
    auto& h = growth.hypotheses[0];
    h.factor = statistics::Matrix(1, 1);
    h.factor(0, 0) = 1e-3;  // of the coefficient, times the relative noise
    h.relative_noise = relative_error;
    h.degrees_of_freedom = 1e5;
    b.model.segments[s].cost.growth = growth;
  }
  return b;
}

TEST(Intervals, OneSegmentHasItsGrowthModelsInterval) {
  const machine::Machine m = simple_machine(0, 0, 0);
  const Estimate e = predict(loops(1, 0.05).model, m, ask(4)).seconds;
  EXPECT_NEAR(e.high / e.value, std::exp(kZ * 0.05), 1e-4);
  EXPECT_NEAR(e.value / e.low, std::exp(kZ * 0.05), 1e-4);
  const Estimate wide = predict(loops(1, 0.5).model, m, ask(4)).seconds;
  EXPECT_NEAR(wide.value / wide.low, std::exp(kZ * 0.5), 1e-4);
  EXPECT_NEAR(e.level, 0.9, 0);
}

TEST(Intervals, SegmentsErrApart) {
  const machine::Machine m = simple_machine(0, 0, 0);
  const Estimate one = predict(loops(1, 0.02).model, m, ask(4)).seconds;
  const Estimate many = predict(loops(16, 0.02).model, m, ask(4)).seconds;
  EXPECT_NEAR((many.high / many.value - 1) / (one.high / one.value - 1), 1.0 / 4, 1e-6);
}

TEST(Intervals, OfSegmentsThatErrTogetherArePartlyAddedUp) {
  const machine::Machine m = simple_machine(0, 0, 0);
  const Prediction one = predict(loops(1, .02).model, m, ask(4));
  Builder b = loops(16, .02);
  b.model.between_runs.related = 1;
  const Prediction all = predict(b.model, m, ask(4));
  EXPECT_NEAR(all.seconds.high / all.seconds.value, one.seconds.high / one.seconds.value, 1e-9);
  // Below, logarithms of one part of sixteen: 16 ln(1 - x / 16).
  EXPECT_NEAR(all.seconds.low / all.seconds.value,
              std::pow(1 - (1 - one.seconds.low / one.seconds.value) / 16, 16), 1e-9);
  b.model.between_runs.related = .25;
  const Prediction partly = predict(b.model, m, ask(4));
  EXPECT_NEAR((partly.seconds.high / partly.seconds.value - 1) / (one.seconds.high / one.seconds.value - 1),
              std::sqrt(.25 + .75 / 16), 1e-6);
}

// Sixteen segments whose fits are uncertain by a factor of e; without the runs on 4 processes a model missed
// their computing by 10 % twice.
TEST(Intervals, OfAllSegmentsTogetherAreBoundedByForwardChecks) {
  const machine::Machine m = simple_machine(0, 0, 0);
  Builder b = loops(16, 1);
  b.model.between_runs.related = 1;
  const Estimate free = predict(b.model, m, ask(8)).seconds;
  EXPECT_GT(free.high / free.value, 4);
  program::RunCheck run;
  run.processes = 4;
  run.computing = {1.1, 1};
  b.model.checks.forward = {{"p", 4, 2, {run, run}}};
  run.computing = {1.1, 1.1};
  b.model.checks.given_back = {run};
  const Estimate bounded = predict(b.model, m, ask(8)).seconds;
  const double half = 2.919986 * std::sqrt(2) * std::log(1.1);  // Student's t, two runs
  EXPECT_NEAR(bounded.value, free.value, 1e-12);
  EXPECT_NEAR(bounded.high / bounded.value, std::exp(half), 1e-5);
  EXPECT_NEAR(bounded.value / bounded.low, std::exp(half), 1e-5);
  // Each region has the same part of its own width.
  const Prediction all = predict(b.model, m, ask(8));
  EXPECT_LT(all.regions[0].seconds.high, free.high);
  // On 16 processes twice the step, on 1 process no check.
  const Estimate twice = predict(b.model, m, ask(16)).seconds;
  EXPECT_NEAR(std::log(twice.high / twice.value), 2.919986 * std::sqrt(1 + 4) * std::log(1.1), 1e-5);
  EXPECT_NEAR(predict(b.model, m, ask(1)).seconds.high / free.high, 1, 1e-9);
}

TEST(Intervals, SpanCountedWorkThatMayFollowWhatNeverVaried) {
  Builder b = loops(1, 0);
  program::Cost& cost = b.model.segments[0].cost;
  b.model.processes = {4};
  b.model.parameters = {{"n", {100}}, {"m", {1, 2}}};
  statistics::GrowthModel growth = cost.growth;
  growth.ranges = {{1, 1, 1, true}};  // its work is 1 at every point
  cost.growth = growth;
  const auto ends = [&](double n, double m, std::int32_t p) {
    return cost_deviation(cost, std::vector<double>{1}, .9, unvaried(b.model, {{{"n", n}, {"m", m}}, p}));
  };
  EXPECT_NEAR(ends(800, 1, 2).high, 0, 1e-9);
  cost.unsure = .25;
  EXPECT_NEAR(ends(800, 1, 4).high, .25 * 7, 1e-9);
  EXPECT_NEAR(ends(800, 1, 4).low, 0, 1e-9) << "n grew: below nothing changes";
  EXPECT_NEAR(ends(25, 1, 4).low, .25 * .75, 1e-9);
  EXPECT_NEAR(ends(25, 1, 4).high, 0, 1e-9);
  EXPECT_NEAR(ends(100, 2, 4).high, 0, 1e-9) << "m varied";
  // On 2 processes instead of 4 either direction is possible; with n the ratios are multiplied.
  EXPECT_NEAR(ends(100, 1, 2).high, .25, 1e-9);
  EXPECT_NEAR(ends(100, 1, 2).low, .25 * .5, 1e-9);
  EXPECT_NEAR(ends(200, 1, 2).high, .25 * 3, 1e-9);
  EXPECT_NEAR(ends(200, 1, 2).low, .25 * .5, 1e-9);
  // In a prediction it is one of the segment's ends, added in squares with all others.
  machine::Machine m = simple_machine(0, 0, 0);
  m.drift = {.1, 0, 1, Origin::measured};
  const Estimate e = predict(b.model, m, ask(4, {{"n", 800}, {"m", 1}})).seconds;
  EXPECT_NEAR(e.high / e.value - 1, std::hypot(.25 * 7, kZ * .1), 1e-9);
}

TEST(Intervals, SpanOtherFormulasOfCountedWork) {
  Builder b = loops(2, 0);
  const machine::Machine m = simple_machine(0, 0, 0);
  const symbolic::Expression p = program::processes_symbol();
  for (program::Segment& segment : b.model.segments) {
    segment.cost.alternatives = {p / 4, 2 / p};
    segment.cost.advice = "a recording at p = 2 would tell";
    segment.share = .5;
  }
  const auto says_so = [](const Prediction& of) {
    return std::ranges::find(of.warnings, "ambiguous-work", &Warning::code);
  };
  // Its work is 1 in every segment, and its seconds are proportional to it: twice and a quarter of them at p
  // = 8.
  const Prediction apart = predict(b.model, m, ask(8));
  EXPECT_NEAR(apart.seconds.high / apart.seconds.value, 2, 1e-9) << "added, not in squares";
  EXPECT_NEAR(apart.seconds.low / apart.seconds.value, .25, 1e-9);
  ASSERT_NE(says_so(apart), apart.warnings.end());
  EXPECT_EQ(says_so(apart)->hint, "a recording at p = 2 would tell");
  for (program::Segment& segment : b.model.segments) segment.cost.alternatives = {p / 4};
  const Prediction same = predict(b.model, m, ask(4));
  EXPECT_NEAR(same.seconds.high / same.seconds.value, 1, 1e-9);
  EXPECT_EQ(says_so(same), same.warnings.end());
}

TEST(Intervals, HoldWhatRunsDifferBy) {
  machine::Machine m = simple_machine(0, 0, 0);
  Builder b = loops(1, 0);
  const auto above = [&] {
    const Estimate e = predict(b.model, m, ask(4)).seconds;
    return e.high / e.value - 1;
  };
  EXPECT_NEAR(above(), 0, 1e-9);
  b.model.between_runs.deviation = .04;
  EXPECT_NEAR(above(), kZ * .04, 1e-9);
  b.model.between_runs.unseen = .03;
  EXPECT_NEAR(above(), kZ * .05, 1e-9);
  b.model.between_runs.unseen = 0;
  // from five launches: Student's quantile of four degrees of freedom, 2.1318
  m.drift = {.1, 0, 5, Origin::measured};
  EXPECT_NEAR(above(), 2.131846786 * .1, 1e-8);
  m.noise = {.5, 0, 9, Origin::measured};
  EXPECT_NEAR(above(), kZ * .5, 1e-9);
  // Enough recordings show by how much runs of the program differ.
  b.model.between_runs.degrees = 4;
  EXPECT_NEAR(above(), kZ * .04, 1e-9);
  b.model.between_runs.degrees = 3.9;
  EXPECT_NEAR(above(), kZ * .5, 1e-9);
  m.noise = m.drift = {};
  // The differences between recordings there do not apply to this machine.
  m.description = "this processor", b.model.recorded_on = "another one";
  EXPECT_NEAR(above(), kZ * kOtherProcessorSpread, 1e-9);
  b.model.between_runs.unseen = .03;
  EXPECT_NEAR(above(), kZ * kOtherProcessorSpread, 1e-9);
  m.environment["virtual"] = "yes";
  EXPECT_NEAR(above(), kZ * std::hypot(kOtherProcessorSpread, program::kVirtualDeviation), 1e-9);
  b.model.recorded_on = "this processor";  // for its runs there is better information than the above
  EXPECT_NEAR(above(), kZ * .05, 1e-9);
}

TEST(Intervals, MachineParametersErrTogetherAndWithTheirCovariance) {
  machine::Machine m = simple_machine(0, 0, 0);
  add_table(m, Pattern::allreduce, "log2", 1e-3, 1e-3, 0, 0);
  m.patterns[0].pieces[0].startup.standard_error = 1e-4;
  const Estimate own = predict(loops(16, 0).model, m, ask(4)).seconds;
  EXPECT_NEAR(own.high - own.value, kZ * 16 * 100 * 1e-4, 1e-9);
  m.patterns[0].pieces[0].startup_growth.standard_error = 0.5e-4;
  // startup + 2 x growth with correlation -1: the errors cancel.
  m.covariance[{"patterns.allreduce.0.startup", "patterns.allreduce.0.startup_growth"}] = -1e-4 * 0.5e-4;
  const Estimate cancelled = predict(loops(16, 0).model, m, ask(4)).seconds;
  EXPECT_NEAR(cancelled.high, cancelled.value, 1e-6);
}

TEST(Intervals, OfTheProgramAreThoseOfItsModelAlone) {
  machine::Machine m = simple_machine(0, 0, 0);
  const Builder b = loops(1, 0.05);
  m.noise = {0.2, 0, 1, Origin::measured};
  add_table(m, Pattern::allreduce, "1", 1e-3, 0, 0, 0);
  m.patterns[0].pieces[0].startup.standard_error = 5e-4;
  const Prediction noisy = predict(b.model, m, ask(4));
  ASSERT_TRUE(noisy.of_program);
  // 100 segments of 1 ms with 5 %, and 100 calls of 1 ms whose uncertainty comes from the machine alone.
  EXPECT_NEAR(noisy.of_program->value, noisy.seconds.value, 1e-12);
  EXPECT_NEAR(noisy.of_program->high - noisy.of_program->value, 0.1 * (std::exp(kZ * 0.05) - 1), 1e-5);
  EXPECT_GT(noisy.seconds.high, noisy.of_program->high + 0.01);
}

TEST(Intervals, AnAmbiguousCountSpansItsAlternatives) {
  Builder b = loops(1, 0);
  b.model.segments[0].executions.origin = Origin::ambiguous;
  b.model.segments[0].executions.alternatives = {Expression(50), Expression(300)};
  b.model.segments[0].executions.advice = "record p = 3";
  const Prediction p = predict(b.model, simple_machine(0, 0, 0), ask(4));
  EXPECT_NEAR(p.seconds.value, 0.1, 1e-12);
  EXPECT_NEAR(p.seconds.low, 0.05, 1e-9);
  EXPECT_NEAR(p.seconds.high, 0.3, 1e-9);
  bool advised = false;
  for (const Warning& w : p.warnings)
    advised = advised || (w.code == "ambiguous-count" && w.hint == "record p = 3");
  EXPECT_TRUE(advised);
}

TEST(Intervals, AnAmbiguousCountThatIsNoneHereMayYetBeSome) {
  // 100 executions of 1 ms. Messages: none by the chosen formula, 50 by the other; a send takes 0.3 us.
  Builder b;
  b.model.processes = {2, 4};
  b.segment(0, program::kNone, program::kNone, 100, proportional(Expression(1), 1e-3));
  const NodeId send = b.add(0, program::NodeKind::call, "MPI_Send", 100);
  b.node(send).call_class = recording::CallClass::send;
  for (auto* count : {&b.node(send).messages, &b.node(send).bytes}) {
    count->expression = program::processes_symbol() - Expression(4);
    count->origin = Origin::ambiguous;
  }
  b.node(send).messages.alternatives = {Expression(50)};
  b.node(send).bytes.alternatives = {Expression(400)};
  const Prediction p = predict(b.model, simple_machine(2e-6, 3e-7, 0), ask(4));
  EXPECT_NEAR(p.seconds.value, 0.1, 1e-12);
  EXPECT_NEAR(p.seconds.high, 0.1 + 50 * 3e-7, 1e-9);
  EXPECT_EQ(p.parts.message_startup.value, 0);
  EXPECT_EQ(p.parts.message_startup.origin, Origin::ambiguous);
  EXPECT_EQ(p.parts.memory.value, 0);
  EXPECT_EQ(p.parts.memory.origin, Origin::exact) << "nothing says that there could be any";
  // The same for computing.
  Builder c = loops(1, 0);
  c.model.segments.push_back(c.model.segments[0]);
  c.model.segments[1].executions.expression = Expression(0);
  c.model.segments[1].executions.origin = Origin::ambiguous;
  c.model.segments[1].executions.alternatives = {Expression(20)};
  const Prediction q = predict(c.model, simple_machine(0, 0, 0), ask(4));
  EXPECT_NEAR(q.seconds.value, 0.1, 1e-12);
  EXPECT_NEAR(q.seconds.high, 0.12, 1e-9);
  EXPECT_TRUE(std::any_of(q.warnings.begin(), q.warnings.end(),
                          [](const Warning& w) { return w.code == "ambiguous-count"; }));
}

TEST(Intervals, AreWiderWhereCommunicationDominates) {
  machine::Machine m = simple_machine(0, 0, 0);
  add_table(m, Pattern::allreduce, "log2", 1e-4, 1e-4, 0, 0);
  for (auto* parameter : {&m.patterns[0].pieces[0].startup, &m.patterns[0].pieces[0].startup_growth})
    parameter->standard_error = 0.2 * parameter->value;
  Builder b;
  b.add_parameter("n", {10, 100});
  b.model.processes = {2, 4};
  const NodeId loop = b.loop(0, 100);
  const NodeId call =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 100, 8);
  b.segment(loop, call, call, 100, proportional(parameter("n"), 1e-4));
  const Estimate small = predict(b.model, m, ask(4, {{"n", 1}})).seconds;
  const Estimate large = predict(b.model, m, ask(4, {{"n", 1000}})).seconds;
  EXPECT_GT((small.high - small.low) / small.value, 10 * (large.high - large.low) / large.value);
}

TEST(Intervals, StayPositiveHoweverUncertain) {
  machine::Machine m = simple_machine(0, 0, 0);
  m.noise = measured(3);
  const Estimate e = predict(loops(2, 1.0).model, m, ask(4)).seconds;
  EXPECT_GT(e.low, 0);
  EXPECT_LT(e.low, e.value);
}

// One process with n bytes of data and 1,000 other bytes, recorded at n = 100 and 1,000; a loop of 10
// executions of 1 us per byte of data. The machine streams at 1 ns per byte up to 2,000 bytes, at 3 from
// 4,000 on.
Builder streaming_loop(double seconds_per_byte) {
  Builder b;
  b.add_parameter("n", {100, 1000});
  b.model.processes = {1};
  const Expression n = parameter("n");
  const NodeId call = b.collective(0, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 10, 8);
  b.segment(0, call, call, 10, proportional(n, seconds_per_byte));
  b.model.residence.arguments = {n};
  b.model.residence.growth = proportional(n, 1).growth;
  b.model.residence.growth.arguments = {"n"};
  auto& fit = b.model.residence.growth.hypotheses[0];
  fit.terms.push_back({1000, {0}, {0}});
  fit.factor = statistics::Matrix(2, 2);
  for (const double recorded : {100., 1000.}) {
    program::Source source;
    source.parameters = {{"n", recorded}};
    source.processes = 1;
    b.model.sources.push_back(source);
  }
  return b;
}

Prediction streaming(double size, double seconds_per_byte) {
  machine::Machine m = simple_machine(0, 0, 0);
  m.working_sets = {{1, 2000, 0, 1e9}, {1, 4000, 0, 1e9 / 3}};
  return predict(streaming_loop(seconds_per_byte).model, m, ask(1, {{"n", size}}));
}

TEST(Memory, ASweepKnowsHowManyCoresStreamAtEachPoint) {
  // Four cores share the bandwidth of one: at p = 4 the same data stream more slowly, and all points use the
  // same link.
  machine::Machine m = simple_machine(0, 0, 0);
  m.cores_per_node = 4;
  m.working_sets = {{1, 2000, 0, 1e9}, {1, 4000, 0, 1e9 / 3}, {4, 2000, 0, 1e9}, {4, 4000, 0, 1e9 / 12}};
  const Builder b = streaming_loop(1.25e-9);
  const std::vector<Question> questions{ask(1, {{"n", 4000}}), ask(4, {{"n", 4000}}), ask(8, {{"n", 4000}})};
  const auto swept = sweep(b.model, m, questions);
  ASSERT_TRUE(swept.ok());
  for (std::size_t k = 0; k < questions.size(); ++k)
    EXPECT_NEAR((*swept)[k] / predict(b.model, m, questions[k]).seconds.value, 1, 1e-12) << k;
  EXPECT_GT((*swept)[1], 1.5 * (*swept)[0]);
}

TEST(Memory, DataThatLeaveACacheAddWhatDoesNotHideBehindComputing) {
  EXPECT_EQ(streaming(2000, 1.25e-9).parts.memory.value, 0);
  // Up to 80 % of the recorded time could be streaming (1 of 1.25 ns per byte), three times as long at n =
  // 4000: 2.4 times the computing if all of it was. A share u of it adds 2.4 u - 1 where that is positive;
  // its mean over u from 0 to 1 is (2.4 - 1)^2 / 4.8. Without any overlap all of it would add 0.8 x 2.
  const Prediction large = streaming(4000, 1.25e-9);
  const double compute = 10 * 4000 * 1.25e-9;
  EXPECT_NEAR(large.parts.compute.value, compute, 1e-15);
  EXPECT_NEAR(large.parts.memory.value, compute * 1.4 * 1.4 / 4.8, 1e-15);
  EXPECT_NEAR(large.parts.memory.high, compute * 1.6, 1e-12);
  EXPECT_NEAR(large.parts.memory.low, 0, 1e-12);
  EXPECT_EQ(large.parts.memory.origin, Origin::assumed);
}

TEST(Memory, ArraysOfACompiledProgramTellWhatIsStreamed) {
  // Half of the data are accessed, which takes 80 % of the time at 1 ns per byte, and three times as long
  // when all data together exceed the cache: 2.4 times the computing.
  machine::Machine m = simple_machine(0, 0, 0);
  m.working_sets = {{1, 2000, 0, 1e9}, {1, 4000, 0, 1e9 / 3}};
  Builder b = streaming_loop(1.25e-9);
  b.model.residence = {};
  b.model.footprint = 2 * parameter("n");
  b.model.segments[0].cost.streamed = parameter("n");
  const double compute = 10 * 4000 * 1.25e-9;
  const Prediction large = predict(b.model, m, ask(1, {{"n", 4000}}));
  EXPECT_NEAR(large.parts.memory.value, compute * 1.4, 1e-15);
  EXPECT_NEAR(large.parts.memory.high, compute * 1.6, 1e-12);
  EXPECT_EQ(large.parts.memory.origin, Origin::assumed);
  EXPECT_EQ(predict(b.model, m, ask(1, {{"n", 1000}})).parts.memory.value, 0);
  b.model.segments[0].cost.streamed.reset();  // a segment that accesses no array
  EXPECT_EQ(predict(b.model, m, ask(1, {{"n", 4000}})).parts.memory.value, 0);
}

TEST(Memory, StreamingThatHidesBehindComputingMayYetShow) {
  // A quarter of the time at most, three times as long: still less than the computing.
  const Prediction large = streaming(4000, 4e-9);
  const double compute = 10 * 4000 * 4e-9;
  EXPECT_EQ(large.parts.memory.value, 0);
  EXPECT_EQ(large.parts.memory.origin, Origin::assumed);
  EXPECT_NEAR(large.seconds.high - large.seconds.value, compute * 0.5, 1e-9);
  EXPECT_NEAR(large.seconds.low, large.seconds.value, 1e-9);
}

TEST(Intervals, AHigherLevelIsWider) {
  const machine::Machine m = simple_machine(0, 0, 0);
  Question q = ask(4);
  q.level = 0.5;
  const Estimate narrow = predict(loops(1, 0.1).model, m, q).seconds;
  q.level = 0.99;
  const Estimate wide = predict(loops(1, 0.1).model, m, q).seconds;
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
}

}  // namespace
}  // namespace parcast::predict
