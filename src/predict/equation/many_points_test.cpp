// SPDX-License-Identifier: Apache-2.0
// Answers at many points, against the answer of each question alone.
#include "predict/equation/many_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/equation/equation.h"
#include "predict/model_builder.h"
#include "statistics/random.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::kNone;
using program::NodeId;
using program::PeerRelation;
using program::Synchronisation;
using recording::CallClass;
using recording::Pattern;

machine::Machine cluster() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  m.cores_per_node = 4;
  m.memory_per_node = 1e9;
  m.links["network"].latency.standard_error = 2e-7;
  m.links["network"].gap_per_byte.standard_error = 1e-10;
  m.covariance[{"links.network.latency", "links.network.gap_per_byte"}] = 1e-17;
  m.noise = measured(0.02);
  add_table(m, Pattern::allreduce, "log2", 4e-6, 1.5e-6, 3e-10, 0);
  m.patterns.back().pieces.back().relative_error = 0.05;
  return m;
}

/// Makes the count of a segment one of three that agree where n = 64, which is recorded.
void open_doubt(program::Model& model) {
  program::Count& count = model.segments.front().executions;
  count.origin = Origin::ambiguous;
  count.alternatives = {count.expression + parameter("n") - Expression(64),
                        2 * count.expression - count.expression * parameter("n") / 64};
  count.open = {"n"};
  count.settling = {{64}};
  for (const double n : {32., 64., 128.})
    for (const std::int32_t processes : {1, 2, 4}) {
      program::Source source;
      source.parameters = {{"n", n}};
      source.processes = processes;
      model.sources.push_back(source);
    }
}

/// Loops of computing by blocks of rows, reductions, rings, and shifts on a grid, on which different ranks
/// are slowest in turn.
program::Model random_model(statistics::Random& random) {
  Builder b("random");
  b.add_parameter("n", {32, 64, 128});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  const Expression steps = static_cast<std::int64_t>(2 + random.below(20));
  const NodeId loop = b.loop(0, steps);
  NodeId last = kNone;
  for (std::uint64_t i = 0; i < 2 + random.below(4); ++i) {
    NodeId call = kNone;
    switch (random.below(3)) {
      case 0:
        call = b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, steps, 8 * n);
        break;
      case 1:
        call = b.message(loop, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::offset_ring, {1}, steps,
                         8 * n);
        break;
      default:
        b.message(loop, "MPI_Isend", CallClass::start_send, PeerRelation::grid_shift, {0, 1, 2, 0},
                  steps * min(program::coordinate_symbol(2, 0), 1), 8 * n);
        call = b.message(loop, "MPI_Recv", CallClass::receive, PeerRelation::grid_shift, {0, -1, 2, 0}, steps,
                         8 * n);
    }
    const Expression rows = i % 2 == 0 ? ceil((n - r()) / p()) : floor((n + r()) / p());
    const std::size_t s =
        b.segment(loop, last, call, i == 0 ? steps + n - Expression(40) : steps,
                  proportional(n * rows, 1e-9 * static_cast<double>(1 + random.below(100))));
    b.model.segments[s].cost.imbalance = random.uniform() * 0.2;
    b.model.segments[s].cost.iteration_noise.noise = random.uniform() * 0.1;
    last = call;
  }
  open_doubt(b.model);
  b.model.residence.growth = proportional(n * n / p(), 1e5).growth;
  b.model.residence.arguments = {n * n / p()};
  return b.model;
}

/// Lets a forecast of the program correct its segments: growth with the surface of the blocks.
void add_forecast(program::Model& model) {
  const Expression work = parameter("n") * ceil(parameter("n") / p());
  program::Forecast forecast;
  forecast.node = 0;
  forecast.arguments = {work};
  forecast.growth = *proportional(work, 5e-7).growth;
  forecast.error = 0.01, forecast.error_of_parts = 0.3;
  model.forecasts = {forecast};
}

void expect_same(const Estimate& a, const Estimate& b, const char* what) {
  const auto near = [&](double x, double y) { EXPECT_NEAR(x, y, 1e-12 * std::abs(y)) << what; };
  near(a.value, b.value), near(a.low, b.low), near(a.high, b.high);
  EXPECT_EQ(a.origin, b.origin) << what;
  EXPECT_EQ(a.level, b.level) << what;
}

std::vector<std::string> texts(const std::vector<Warning>& warnings) {
  std::vector<std::string> out;
  for (const Warning& each : warnings) out.push_back(each.code + ": " + each.text + " (" + each.hint + ")");
  return out;
}

void expect_same(const Prediction& a, const Prediction& b) {
  EXPECT_EQ(a.question.point.processes, b.question.point.processes);
  expect_same(a.seconds, b.seconds, "seconds");
  expect_same(*a.of_program, *b.of_program, "of_program");
  expect_same(a.node_hours, b.node_hours, "node hours");
  expect_same(a.parts.compute, b.parts.compute, "compute");
  expect_same(a.parts.memory, b.parts.memory, "memory");
  expect_same(a.parts.message_startup, b.parts.message_startup, "startup");
  expect_same(a.parts.transfer, b.parts.transfer, "transfer");
  expect_same(a.parts.wait, b.parts.wait, "wait");
  ASSERT_EQ(a.memory_per_node.has_value(), b.memory_per_node.has_value());
  if (a.memory_per_node) expect_same(*a.memory_per_node, *b.memory_per_node, "memory of a node");
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.extrapolation, b.extrapolation);
  EXPECT_EQ(texts(a.warnings), texts(b.warnings));
  for (const auto& [origin, share] : b.coverage) EXPECT_NEAR(a.coverage.at(origin), share, 1e-12);
}

TEST(ManyPoints, AreAnsweredAsEachAlone) {
  statistics::Random random(7);
  const machine::Machine machine = cluster();
  std::size_t recursions = 0, resolved = 0, corrected = 0;
  for (int i = 0; i < 12; ++i) {
    program::Model model = random_model(random);
    if (i % 2 == 1) add_forecast(model);
    std::vector<Question> questions;
    for (const std::int32_t processes : {1, 2, 3, 4, 6, 16, 70})
      for (const double n : {20., 32., 64., 100.5, 500.}) questions.push_back(ask(processes, {{"n", n}}));
    const auto together = answer_each(model, machine, questions, {});
    ASSERT_EQ(together.size(), questions.size());
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const auto alone = equation_engine().predict(model, machine, questions[q]);
      ASSERT_EQ(together[q].ok(), alone.ok());
      if (!alone) continue;
      expect_same(*together[q], *alone);
      EXPECT_TRUE(together[q]->regions.empty());
      recursions += std::ranges::count(alone->warnings, "evaluated-numerically", &Warning::code);
      resolved += std::ranges::count(alone->warnings, "ambiguous-count", &Warning::code) == 0;
      corrected += std::ranges::count(alone->warnings, "reconciled", &Warning::code) +
                   std::ranges::count(alone->warnings, "reconciled-far", &Warning::code);
    }
  }
  EXPECT_GT(recursions, 0u);  // these models have points of each kind
  EXPECT_GT(resolved, 0u);
  EXPECT_LT(resolved, 12u * 35u);
  EXPECT_GT(corrected, 50u);
}

TEST(ManyPoints, AQuestionThatFailsLeavesTheOthers) {
  statistics::Random random(1);
  const program::Model model = random_model(random);
  const std::vector<Question> questions{ask(2, {{"n", 64}}), ask(0, {{"n", 64}}), ask(2, {{"m", 64}})};
  const auto answers = answer_each(model, cluster(), questions, {});
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].error().what, "p = 0 is not a number of processes");
  EXPECT_EQ(answers[2].error().what, "the model of random has no parameter m");
}

TEST(ManyPoints, ReportTheirProgressToTheEnd) {
  statistics::Random random(1);
  const program::Model model = random_model(random);
  std::vector<Question> questions;
  for (int i = 0; i < 200; ++i) questions.push_back(ask(1 + i % 4, {{"n", 32. + i}}));
  double last = 0;
  answer_each(model, cluster(), questions, [&](double done) {
    EXPECT_GE(done, last);
    last = done;
  });
  EXPECT_GT(last, 0);
  EXPECT_LE(last, 1);
}

TEST(ManyPoints, NoQuestionsHaveNoAnswers) {
  statistics::Random random(1);
  EXPECT_TRUE(answer_each(random_model(random), cluster(), {}, {}).empty());
}

}  // namespace
}  // namespace parcast::predict
