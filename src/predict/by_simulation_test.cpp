// SPDX-License-Identifier: Apache-2.0
// The engine `simulate` on hand-written models, whose time and interval are known in closed form.
#include "predict/by_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "predict/auto_engine.h"
#include "predict/by_interpretation.h"
#include "predict/equation/equation.h"
#include "predict/hang.h"
#include "predict/model_builder.h"
#include "statistics/distribution.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::NodeId;
using program::Partner;
using program::Step;
using recording::Pattern;

constexpr double kLatency = 2e-6, kOverhead = 3e-7, kGap = 1e-9, kSecondsPerPoint = 2e-9;

std::uint32_t place(program::Structure& structure, const std::string& call, std::int32_t line) {
  structure.places.push_back({"solve", "step", "/home/me/solve.c", line, call});
  return static_cast<std::uint32_t>(structure.places.size()) - 1;
}

Step operation(program::Structure& structure, std::uint32_t id, trace::Kind kind, const std::string& call) {
  Step out;
  out.id = id;
  out.operation = kind;
  out.place = place(structure, call, static_cast<std::int32_t>(id));
  out.root = exact(0);
  out.bytes.count = exact(0);
  return out;
}

/// A loop over `body`, with `seconds` of computing before its first step in each round.
void close_loop(program::Structure& structure, std::vector<Step> body, const Expression& rounds,
                const Expression& seconds) {
  structure.step_count = static_cast<std::uint32_t>(body.size()) + 1;
  body.front().computing = {{structure.step_count, 1, seconds, Origin::fitted},
                            {body.back().id, 0, seconds, Origin::fitted}};
  Step loop;
  loop.kind = Step::Kind::loop;
  loop.rounds = exact(rounds);
  loop.body = std::move(body);
  structure.steps = {std::move(loop)};
  structure.processes = {2, 4};
}

/// steps x { n^2 / p points, allreduce of 8 bytes }
program::Model bulk_synchronous() {
  Builder b("bulk");
  b.add_parameter("n", {256, 512, 1024});
  b.add_parameter("steps", {10, 20, 40});
  b.model.processes = {2, 4};
  const Expression n = parameter("n"), steps = parameter("steps");
  const NodeId loop = b.loop(0, steps);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, program::Synchronisation::global, steps, 8);
  b.segment(loop, reduce, reduce, steps, proportional(n * n / p(), kSecondsPerPoint));
  program::Structure structure;
  Step each = operation(structure, 1, trace::Kind::collective, "MPI_Allreduce");
  each.pattern = Pattern::allreduce;
  each.bytes.count = exact(8);
  close_loop(structure, {each}, steps, n * n / p() / 500000000);
  b.model.structure = structure;
  return b.model;
}

/// steps x { n^2 points, exchange of 8 n bytes on the ring }
program::Model ring() {
  Builder b("ring");
  b.add_parameter("n", {64, 128});
  b.add_parameter("steps", {10, 20});
  b.model.processes = {2, 4};
  const Expression n = parameter("n"), steps = parameter("steps");
  const NodeId loop = b.loop(0, steps);
  const NodeId call = b.message(loop, "MPI_Sendrecv", recording::CallClass::send_receive,
                                program::PeerRelation::offset_ring, {1}, steps, 8 * n);
  b.segment(loop, call, call, steps, proportional(n * n, kSecondsPerPoint));
  program::Structure structure;
  Step receive = operation(structure, 1, trace::Kind::start_receive, "MPI_Irecv"),
       send = operation(structure, 2, trace::Kind::start_send, "MPI_Isend");
  Step wait = operation(structure, 3, trace::Kind::wait, "MPI_Waitall");
  receive.partner = {.kind = Partner::Kind::ring, .amount = -1};
  send.partner = {.kind = Partner::Kind::ring, .amount = 1};
  receive.bytes.count = send.bytes.count = exact(8 * n);
  wait.awaited = {{1, program::Awaited::Which::all}, {2, program::Awaited::Which::all}};
  close_loop(structure, {receive, send, wait}, steps, n * n / 500000000);
  b.model.structure = structure;
  return b.model;
}

machine::Machine with_table() {
  machine::Machine m = simple_machine(kLatency, kOverhead, kGap);
  add_table(m, Pattern::allreduce, "log2", 4e-6, 1.5e-6, 3e-10, 0);
  return m;
}

Prediction predict(const program::Model& model, const machine::Machine& m, const Question& q) {
  const auto result = simulate_engine().predict(model, m, q);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? result.value() : Prediction{};
}

const double kZ = statistics::normal_quantile(0.95);

TEST(BySimulation, ABulkSynchronousLoopAgreesWithTheEquation) {
  const Question question = ask(64, {{"n", 1024}, {"steps", 100}});
  const program::Model model = bulk_synchronous();
  const Prediction mine = predict(model, with_table(), question);
  const double computing = 100 * 1024.0 * 1024 / 64 * kSecondsPerPoint,
               messages = 100 * (4e-6 + 6 * 1.5e-6 + 8 * 3e-10);
  EXPECT_NEAR(mine.seconds.value, computing + messages, 1e-9 * (computing + messages));
  EXPECT_NEAR(mine.parts.compute.value, computing, 1e-9 * computing);
  EXPECT_NEAR(mine.parts.message_startup.value, messages, 1e-9 * messages);
  const auto other = equation_engine().predict(model, with_table(), question);
  ASSERT_TRUE(other);
  EXPECT_NEAR(mine.seconds.value, other->seconds.value, 1e-9 * other->seconds.value);
  EXPECT_NEAR(mine.seconds.high, other->seconds.high, 1e-6 * other->seconds.high);
  EXPECT_NEAR(mine.seconds.low, other->seconds.low, 1e-6 * other->seconds.low);
  EXPECT_EQ(mine.nodes, 64);
  ASSERT_EQ(mine.regions.size(), 2u);
  EXPECT_EQ(mine.regions[0].path, "solve/compute before MPI_Allreduce");
  EXPECT_NEAR(mine.regions[0].seconds.value, computing, 1e-9 * computing);
  EXPECT_EQ(mine.regions[1].path, "solve/MPI_Allreduce");
  EXPECT_EQ(mine.regions[1].where, "solve.c:1");
  EXPECT_NEAR(mine.regions[1].seconds.value, messages, 1e-9 * messages);
  double covered = 0;
  for (const auto& [origin, share] : mine.coverage) covered += share;
  EXPECT_NEAR(covered, 1, 1e-12);
  EXPECT_NEAR(mine.coverage.at(Origin::exact), 1, 1e-9);  // of counts; the cost is fitted
}

TEST(BySimulation, NoiseWidensComputingAlone) {
  machine::Machine m = with_table();
  m.noise = measured(0.05);
  const Prediction mine = predict(bulk_synchronous(), m, ask(16, {{"n", 2048}, {"steps", 50}}));
  const double computing = 50 * 2048.0 * 2048 / 16 * kSecondsPerPoint,
               messages = 50 * (4e-6 + 4 * 1.5e-6 + 8 * 3e-10);
  EXPECT_NEAR(mine.seconds.high, computing * (1 + kZ * 0.05) + messages, 1e-8 * computing);
  EXPECT_NEAR(mine.seconds.low, computing / (1 + kZ * 0.05) + messages, 1e-8 * computing);
}

TEST(BySimulation, WhatRunsDifferByWidensComputingAlone) {
  machine::Machine m = with_table();
  m.drift = {0.06, 0.02, 4, Origin::measured};  // Student's quantile of three degrees of freedom: 2.3533634
  const Question question = ask(16, {{"n", 2048}, {"steps", 50}});
  const double computing = 50 * 2048.0 * 2048 / 16 * kSecondsPerPoint,
               messages = 50 * (4e-6 + 4 * 1.5e-6 + 8 * 3e-10);
  EXPECT_NEAR(predict(bulk_synchronous(), m, question).seconds.high,
              computing * (1 + 2.3533634348 * 0.06) + messages, 1e-8 * computing);
  program::Model model = bulk_synchronous();
  model.between_runs.deviation = 0.2;
  EXPECT_NEAR(predict(model, m, question).seconds.high, computing * (1 + kZ * 0.2) + messages,
              1e-8 * computing);
}

TEST(BySimulation, AnExchangeIsOneMessageEndToEndAndItsErrorThatOfTheLink) {
  machine::Machine m = simple_machine(kLatency, kOverhead, kGap);
  const Question question = ask(16, {{"n", 100}, {"steps", 1000}});
  const double seconds = 1000 * (kSecondsPerPoint * 1e4 + 2 * kOverhead + kLatency + 800 * kGap);
  EXPECT_NEAR(predict(ring(), m, question).seconds.value, seconds, 1e-9 * seconds);
  m.links["network"].latency.standard_error = 2e-7;
  m.links["network"].send_overhead.standard_error = 1e-7;
  const double apart = kZ * 1000 * std::hypot(2e-7, 1e-7),
               together = kZ * 1000 * std::sqrt(4e-14 + 1e-14 - 2 * 1.5e-14);
  EXPECT_NEAR(predict(ring(), m, question).seconds.high, seconds + apart, 1e-7 * seconds);
  EXPECT_NEAR(predict(ring(), m, question).seconds.low, seconds / (1 + apart / seconds), 1e-7 * seconds);
  m.covariance[{"links.network.latency", "links.network.send_overhead"}] = -1.5e-14;
  EXPECT_NEAR(predict(ring(), m, question).seconds.high, seconds + together, 1e-7 * seconds);
}

TEST(BySimulation, ATablesMisfitIsSharedByItsCalls) {
  machine::Machine m = with_table();
  m.patterns[0].pieces[0].relative_error = 0.1;
  const Prediction mine = predict(bulk_synchronous(), m, ask(4, {{"n", 256}, {"steps", 10}}));
  const double messages = 10 * (4e-6 + 2 * 1.5e-6 + 8 * 3e-10);
  EXPECT_NEAR(mine.seconds.high - mine.seconds.value, kZ * 1.4826 * 0.1 * messages, 1e-4 * messages);
}

TEST(BySimulation, ComputingOfAnotherMachineIsScaled) {
  machine::Machine m = with_table();
  m.core_speed = measured(1e9);
  auto there = std::make_shared<machine::Machine>(m);
  there->name = "there";
  there->core_speed = measured(3e9);
  Question question = ask(4, {{"n", 256}, {"steps", 10}});
  const double before = predict(bulk_synchronous(), m, question).parts.compute.value;
  question.recorded_machine = there;
  EXPECT_NEAR(predict(bulk_synchronous(), m, question).parts.compute.value, 3 * before, 1e-9 * before);
}

TEST(BySimulation, TellsHowFarItIs) {
  std::vector<double> given;
  const auto tell = [&](double share) { given.push_back(share); };
  ASSERT_TRUE(simulate_engine().predict(bulk_synchronous(), with_table(),
                                        ask(16, {{"n", 1024}, {"steps", 10}}), tell));
  // The run itself, and one with slower and one with faster computing: links and table are known exactly.
  ASSERT_EQ(given.size(), 3u);
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_DOUBLE_EQ(given[i], (1 + static_cast<double>(i)) / 3);
}

TEST(BySimulation, WhatHasNoAnswerSaysWhy) {
  const Question question = ask(4, {{"n", 256}, {"steps", 10}});
  program::Model none = bulk_synchronous();
  none.structure.reset();
  EXPECT_FALSE(simulate_engine().predict(none, with_table(), question).ok());

  program::Model hangs = ring();
  auto& body = hangs.structure->steps[0].body;
  body[1].guard.kind = program::Guard::Kind::first;  // only rank 0 sends
  const auto answer = simulate_engine().predict(hangs, with_table(), question);
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  ASSERT_TRUE(answer->hang);
  EXPECT_FALSE(answer->hang->waiting.empty());
}

/// A ring of steps for which two rules are possible: the message goes to the next rank, or to the next in a
/// row of a grid.
program::Model undecided_ring() {
  program::Model model = ring();
  auto& body = model.structure->steps[0].body;
  const auto in_row = [](std::int8_t by) {
    return Partner{.kind = Partner::Kind::grid, .dimensions = 2, .shift = {0, by}, .periodic = 2};
  };
  body[0].alternatives = {{program::Guard{}, in_row(-1)}};
  body[1].alternatives = {{program::Guard{}, in_row(1)}};
  return model;
}

std::vector<std::string> texts_of(const Prediction& prediction) {
  std::vector<std::string> out;
  for (const Warning& warning : prediction.warnings) out.push_back(warning.text);
  return out;
}

// 4 ranks: the next rank of rank 1 is rank 2 in the ring, and rank 0 in its row of two.
TEST(BySimulation, ARuleThatIsChosenAmongSeveralIsSaidByAllEngines) {
  const Question question = ask(4, {{"n", 64}, {"steps", 10}});
  const auto said = ::testing::Contains(
      ::testing::AllOf(::testing::HasSubstr(" is taken to be with rank (r + 1) mod p, the simplest rule"),
                       ::testing::HasSubstr("the grid's (0, +1 around) holds for them as well")));
  const double seconds = predict(ring(), with_table(), question).seconds.value;
  for (const Engine* engine : {&simulate_engine(), &interpret_engine(), &auto_engine()}) {
    const auto answer = engine->predict(undecided_ring(), with_table(), question);
    ASSERT_TRUE(answer.ok()) << to_string(answer.error());
    EXPECT_THAT(texts_of(*answer), said) << engine->name();
    if (engine == &simulate_engine()) EXPECT_DOUBLE_EQ(answer->seconds.value, seconds);
  }
  program::Model unlike = undecided_ring();
  Step& send = unlike.structure->steps[0].body[1];
  std::swap(send.partner, send.alternatives[0].second);
  const auto refused = simulate_engine().predict(unlike, with_table(), question);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().what, ::testing::HasSubstr("not every message has a receive"));
}

// steps x n^2 points of 2 ns, for any p: the reduction of one process takes no time.
TEST(BySimulation, OneProcessComputesAsTheEquationHasIt) {
  const Question question = ask(1, {{"n", 256}, {"steps", 100}});
  const double seconds = 100 * 256.0 * 256.0 * kSecondsPerPoint;
  program::Model unordered = bulk_synchronous();
  unordered.structure.reset();
  for (const program::Model& model : {bulk_synchronous(), unordered})
    for (const Engine* engine :
         {&simulate_engine(), &interpret_engine(), &equation_engine(), &auto_engine()}) {
      const auto answer = engine->predict(model, with_table(), question);
      ASSERT_TRUE(answer.ok()) << engine->name() << ": " << to_string(answer.error());
      EXPECT_NEAR(answer->seconds.value, seconds, 1e-8 * seconds) << engine->name();
    }
}

}  // namespace
}  // namespace parcast::predict
