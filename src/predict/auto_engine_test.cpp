// SPDX-License-Identifier: Apache-2.0
// The default engine: times by hand where ranks take turns, deadlocks, and equal computing in all engines.
#include "predict/auto_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "language/written.h"
#include "predict/by_interpretation.h"
#include "predict/by_simulation.h"
#include "predict/computing_scale.h"
#include "predict/each_point.h"
#include "predict/equation/equation.h"
#include "predict/model_builder.h"
#include "predict/prediction_file.h"
#include "structure/each_step.h"
#include "structure/graph/application_graph.h"
#include "trace/computing.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kMicro = 1e-6;

program::Model written(const std::string& text) {
  auto model = program::written::model_of_text("program test\n" + text, "test.program");
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : to_string(model.error()));
  return model.ok() ? *model : program::Model{};
}

/// Latency 2 us, overheads 0.3 us, 1 ns a byte.
machine::Machine machine_by_hand() {
  machine::Machine machine = simple_machine(2 * kMicro, 0.3 * kMicro, 1e-9);
  add_table(machine, recording::Pattern::allreduce, "log2", 4e-6, 1.5e-6, 3e-10, 0);
  return machine;
}
double message(double bytes) {
  return 2.6 * kMicro + bytes * 1e-9;
}

Prediction answer(const program::Model& model, const Question& question) {
  const auto result = auto_engine().predict(model, machine_by_hand(), question, {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? *result : Prediction{};
}

const char* const kPingPong =
    "parameter n = 100\nrepeat n\n  if r == 0\n    compute 7 us\n    send 1000 B to 1\n    receive 1000 B "
    "from 1\n  if r == 1\n    receive 1000 B from 0\n    compute 5 us\n    "
    "send 1000 B to 0\n";
const char* const kTokenRing =
    "parameter n = 10\nrepeat n\n  if r == 0\n    compute 1 ms\n    send 8 B to (r+1) mod p\n    receive 8 B "
    "from (r-1) mod p\n  else\n    receive 8 B from (r-1) mod p\n    "
    "compute 1 ms\n    send 8 B to (r+1) mod p\n";
const char* const kBothReceive =
    "if r == 0\n  receive 8 B from 1\n  send 8 B to 1\nif r == 1\n  receive 8 B from 0\n  send 8 B to 0\n";

TEST(AutoEngine, APingPongTakesBothComputingsAndBothMessagesOfEachRound) {
  const Prediction prediction = answer(written(kPingPong), ask(2, {{"n", 100}}));
  const double seconds = 100 * (12 * kMicro + 2 * message(1000));
  EXPECT_NEAR(prediction.seconds.value, seconds, 1e-9 * seconds);
  EXPECT_EQ(prediction.engine, "interpret");
  ASSERT_TRUE(prediction.second);
  EXPECT_EQ(prediction.second->engine, "equation");
  EXPECT_LT(prediction.second->seconds, 0.9 * seconds);
}

// Rank 0 ends last and computes for 700 us in both engines; its ranks differ by a tenth.
TEST(AutoEngine, WaitsForUnevenComputingAreAddedToTheRunThatIsFollowed) {
  program::Model model = written(kPingPong);
  const Prediction even = answer(model, ask(2, {{"n", 100}}));
  const auto closed = [&] {
    return equation_engine().predict(model, machine_by_hand(), ask(2, {{"n", 100}}), {})->seconds.value;
  };
  const double before = closed();
  for (program::Segment& segment : model.segments) segment.cost.imbalance = 0.1;
  const double more = closed() - before;
  EXPECT_GT(more, 50 * kMicro);
  const Prediction uneven = answer(model, ask(2, {{"n", 100}}));
  EXPECT_EQ(uneven.engine, "interpret");
  EXPECT_NEAR(uneven.seconds.value - even.seconds.value, more, 1e-6 * more);
  EXPECT_NEAR(uneven.parts.wait.value - even.parts.wait.value, more, 1e-6 * more);
  double rows = 0;
  for (const RegionTime& region : uneven.regions) rows += region.seconds.value;
  EXPECT_NEAR(rows, uneven.seconds.value, 1e-12);
  EXPECT_EQ(even.regions.size() + 1, uneven.regions.size());
}

// The simulator's critical path has the computing of both ranks in turn, 1.2 ms for 0.7 ms of either rank.
TEST(FollowedEngines, AddTheSameWaitsForUnevenComputing) {
  program::Model model = written(kPingPong);
  model.written_in.clear();
  for (program::Segment& segment : model.segments) segment.cost.imbalance = 0.1;
  const auto interpreted =
      disturbed_interpret_engine().predict(model, machine_by_hand(), ask(2, {{"n", 100}}), {});
  const auto simulated =
      disturbed_simulate_engine().predict(model, machine_by_hand(), ask(2, {{"n", 100}}), {});
  ASSERT_TRUE(interpreted) << to_string(interpreted.error());
  ASSERT_TRUE(simulated) << to_string(simulated.error());
  EXPECT_NEAR(interpreted->seconds.value, simulated->seconds.value, 1e-6 * simulated->seconds.value);
  // Runs of the model alone leave them out, and name them.
  const auto plain = interpret_engine().predict(model, machine_by_hand(), ask(2, {{"n", 100}}), {});
  ASSERT_TRUE(plain) << to_string(plain.error());
  EXPECT_THAT(left_out_by_following(model, machine_by_hand(), ask(2, {{"n", 100}})),
              ::testing::EndsWith(format_seconds(interpreted->seconds.value - plain->seconds.value)));
  EXPECT_EQ(left_out_by_following(written(kPingPong), machine_by_hand(), ask(2, {{"n", 100}})), "");
}

// 100 rounds by the data alone, and 400 if they grow: the closed form spans both.
TEST(FollowedEngines, SpanWhatNumbersWithoutAFormulaLeaveOpen) {
  program::Model model = written(kPingPong);
  model.written_in.clear();
  const auto highest = [&](const Engine& engine) {
    const auto prediction = engine.predict(model, machine_by_hand(), ask(2, {{"n", 100}}), {});
    EXPECT_TRUE(prediction) << to_string(prediction.error());
    return prediction->seconds.high / prediction->seconds.value;
  };
  for (const Engine* engine : {&disturbed_interpret_engine(), &disturbed_simulate_engine(), &auto_engine()})
    EXPECT_LT(highest(*engine), 1.5) << engine->name();
  for (program::Segment& segment : model.segments) {
    segment.executions.origin = Origin::constant;
    segment.executions.alternatives = {4 * segment.executions.expression};
  }
  const double of_closed = highest(equation_engine());
  EXPECT_GT(of_closed, 1.5);
  for (const Engine* engine : {&disturbed_interpret_engine(), &disturbed_simulate_engine(), &auto_engine()})
    EXPECT_NEAR(highest(*engine), of_closed, 1e-9) << engine->name();
}

/// Returns the program with a call that makes a communicator in 300 us, as recorded.
program::Model with_recorded_call(const char* text) {
  program::Model model = written(text);
  model.written_in.clear();
  program::Node call;
  call.id = static_cast<program::NodeId>(model.nodes.size()), call.parent = 0;
  call.kind = program::NodeKind::call, call.call_class = recording::CallClass::communicator;
  call.label = "MPI_Comm_dup", call.executions = exact(1), call.measured_seconds = 300 * kMicro;
  model.nodes[0].children.push_back(call.id);
  model.nodes.push_back(std::move(call));
  return model;
}

TEST(FollowedEngines, GiveCallsTheTimeThatTheyTookWhenRecorded) {
  const program::Model model = with_recorded_call(kPingPong);
  for (const Engine* engine : {&disturbed_interpret_engine(), &disturbed_simulate_engine(), &auto_engine()}) {
    const auto prediction = engine->predict(model, machine_by_hand(), ask(2, {{"n", 100}}), {});
    ASSERT_TRUE(prediction) << to_string(prediction.error());
    const double seconds = 100 * (12 * kMicro + 2 * message(1000)) + 300 * kMicro;
    EXPECT_NEAR(prediction->seconds.value, seconds, 1e-6 * seconds) << engine->name();
    double rows = 0;
    for (const RegionTime& region : prediction->regions) rows += region.seconds.value;
    EXPECT_NEAR(rows, seconds, 1e-6 * seconds) << engine->name();
    EXPECT_EQ(std::ranges::count(prediction->regions, "MPI_Comm_dup", &RegionTime::path), 1)
        << engine->name();
  }
}

TEST(AutoEngine, CallsThatTakeAsLongAsRecordedDoNotPartTheEngines) {
  const Prediction prediction =
      answer(with_recorded_call("parameter n = 100\nrepeat n\n  compute 7 us\n  allreduce 8 B\n"),
             ask(2, {{"n", 100}}));
  EXPECT_EQ(prediction.engine, "equation");
  ASSERT_TRUE(prediction.second);
  EXPECT_NEAR(prediction.second->seconds, prediction.seconds.value, 1e-6 * prediction.seconds.value);
}

// Ranks that are one class come apart in a reduction, while others wait in a collective that all have
// entered.
TEST(AutoEngine, RanksThatComeApartInACollectiveAreFollowedOneByOne) {
  const program::Model model = written(
      "reduce_scatter 4096 B\ncompute 40000*if(r == 0, 5, 1) ns\nreduce 100000 B to 5\nalltoall 4096 B\n"
      "compute 2500*if(r == 2, 5, 1) ns\nreduce 16384 B to 6\n");
  const machine::Machine machine = simple_machine(10 * kMicro, 2 * kMicro, 9e-11);
  const auto interpreted = interpret_engine().predict(model, machine, ask(16), {});
  const auto closed = equation_engine().predict(model, machine, ask(16), {});
  ASSERT_TRUE(interpreted) << to_string(interpreted.error());
  ASSERT_TRUE(closed) << to_string(closed.error());
  EXPECT_NEAR(interpreted->seconds.value, closed->seconds.value, 1e-9 * closed->seconds.value);
}

TEST(AutoEngine, NamesWhatTheClosedFormMisses) {
  const Prediction prediction = answer(written(kPingPong), ask(2, {{"n", 100}}));
  const auto warning = std::ranges::find(prediction.warnings, "closed-form-differs", &Warning::code);
  ASSERT_NE(warning, prediction.warnings.end());
  EXPECT_THAT(warning->text, HasSubstr("most of the difference is waiting"));
}

TEST(CheckedEquation, HoldsTheRunThatIsFollowedAndNamesIt) {
  const program::Model model = written(kPingPong);
  const auto answer = checked_equation_engine().predict(model, machine_by_hand(), ask(2, {{"n", 100}}), {});
  ASSERT_TRUE(answer);
  const double followed = 100 * (12 * kMicro + 2 * message(1000));
  EXPECT_LT(answer->seconds.value, 0.9 * followed);
  EXPECT_NEAR(answer->seconds.high, followed, 1e-9 * followed);
  ASSERT_TRUE(answer->second);
  EXPECT_NEAR(answer->second->seconds, followed, 1e-9 * followed);
  EXPECT_NE(std::ranges::find(answer->warnings, "closed-form-misses-waits", &Warning::code),
            answer->warnings.end());
}

TEST(CheckedEquation, ReportsADeadlock) {
  const auto answer = checked_equation_engine().predict(written(kBothReceive), machine_by_hand(), ask(2), {});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->hang);
}

// Rank 0 takes the first message from any rank: that of rank 1, which rank 0 then expects once more.
TEST(FollowedEngines, RefuseACopiedOrderThatDoesNotEnd) {
  program::Model model = written(
      "if r == 0\n  receive 8 B from any\n  receive 8 B from 1\nif r == 1\n  send 8 B to 0\n"
      "if r == 2\n  compute 1 ms\n  send 8 B to 0\n");
  const auto of_rules = disturbed_interpret_engine().predict(model, machine_by_hand(), ask(3), {});
  ASSERT_TRUE(of_rules) << to_string(of_rules.error());
  ASSERT_TRUE(of_rules->hang);
  EXPECT_TRUE(of_rules->hang->by_choice);
  model.written_in.clear();
  model.structure->copied = 3;
  for (const Engine* engine : {&disturbed_interpret_engine(), &disturbed_simulate_engine()}) {
    const auto copied = engine->predict(model, machine_by_hand(), ask(3), {});
    ASSERT_FALSE(copied);
    EXPECT_THAT(copied.error().what, HasSubstr("the order that was recorded at p = 3 does not end at p = 3: "
                                               "1 of 3 ranks, such as rank 0, wait for ever"));
  }
}

TEST(CheckedEquation, WarnsOfPointsThatDiffer) {
  const std::vector<Question> many{ask(2, {{"n", 10}}), ask(2, {{"n", 100}})};
  EXPECT_TRUE(closed_form_warning(written(kPingPong), machine_by_hand(), many));
  const program::Model alike = written("parameter n = 100\nrepeat 10\n  compute n^2/p us\n  allreduce 8 B\n");
  EXPECT_FALSE(closed_form_warning(alike, machine_by_hand(), many));
}

TEST(AutoEngine, ATokenGoesRoundAllRanks) {
  for (const std::int32_t p : {2, 4, 8, 32}) {
    const double seconds = 10 * p * (1e-3 + message(8));
    EXPECT_NEAR(answer(written(kTokenRing), ask(p, {{"n", 10}})).seconds.value, seconds, 1e-9 * seconds) << p;
  }
}

// Rank 0's interface is busy for 100 us with each of seven messages of 100,000 B; the last one takes an
// overhead, the latency and an overhead more.
// 320,000 calls, with messages of k bytes in round k, so that no round repeats another. A recording of ten
// rounds shows that the closed form, with one rank's computing alone, is far off; without it the closed form
// answers unchecked.
TEST(AutoEngine, ALongRunIsFollowedWhereTheClosedFormIsFarOffAtARecording) {
  program::Model model = written(
      "parameter n = 10\nrounds k = 1..n\n  if r == 0\n    compute 1 ms\n    send k B to (r+1) mod p\n    "
      "receive k B from (r-1) mod p\n  else\n    receive k B from (r-1) mod p\n    compute 1 ms\n    "
      "send k B to (r+1) mod p\n");
  constexpr double kRounds = 40'000;
  const Question question = ask(4, {{"n", kRounds}});
  const auto unchecked = check_closed_form(model, machine_by_hand(), question).value();
  EXPECT_EQ(unchecked.unchecked, interpret::kTooManyCalls);
  program::Source source;
  source.parameters = {{"n", 10}}, source.processes = 4, source.seconds = 0.04;
  model.sources = {source};
  const auto followed = check_closed_form(model, machine_by_hand(), question).value();
  ASSERT_EQ(followed.unchecked, "");
  EXPECT_FALSE(followed.agrees);
  const double expected = kRounds * 4 * (1e-3 + 2.6 * kMicro) + 4 * 1e-9 * kRounds * (kRounds + 1) / 2;
  EXPECT_NEAR(followed.interpreted / expected, 1, 1e-6);
}

TEST(AutoEngine, MessagesOfOneRankWaitForItsInterface) {
  const program::Model model = written(
      "parameter n = 1000\nif r == 0\n  for k = 1 .. p - 1\n    send n B to k\nelse\n  receive n B from 0\n");
  const Prediction prediction = answer(model, ask(8, {{"n", 100000}}));
  EXPECT_EQ(prediction.engine, "interpret");
  EXPECT_NEAR(prediction.seconds.value, 702.6 * kMicro, 0.1 * kMicro);
}

TEST(AutoEngine, TheEquationAnswersWhereBothAgree) {
  const program::Model model = written("parameter n = 100\nrepeat 10\n  compute n^2/p us\n  allreduce 8 B\n");
  const Prediction prediction = answer(model, ask(4, {{"n", 1000}}));
  EXPECT_EQ(prediction.engine, "equation");
  ASSERT_TRUE(prediction.second);
  EXPECT_EQ(prediction.second->engine, "interpret");
  EXPECT_NEAR(prediction.second->seconds, prediction.seconds.value, 1e-9 * prediction.seconds.value);
  const Prediction alone = answer(model, ask(1, {{"n", 1000}}));
  EXPECT_EQ(alone.engine, "equation");
  EXPECT_TRUE(alone.second);
}

/// The same model as if its program had been recorded.
program::Model as_recorded(program::Model model) {
  model.written_in.clear();
  return model;
}

Prediction answer_by(const Engine& engine, const program::Model& model, const Question& question) {
  const auto result = engine.predict(model, machine_by_hand(), question, {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? *result : Prediction{};
}

// Iterations that vary by a fifth of their computing: an order of operations has their mean alone.
TEST(AutoEngine, EnginesThatFollowRanksWaitForUnevenIterations) {
  program::Model model =
      as_recorded(written("parameter n = 100\nrepeat 10\n  compute n us\n  allreduce 8 B\n"));
  for (program::Segment& segment : model.segments) segment.cost.iteration_noise.noise = 0.2;
  const Question question = ask(8, {{"n", 1000}});
  const double closed = answer_by(equation_engine(), model, question).seconds.value;
  const double plain = answer_by(interpret_engine(), model, question).seconds.value;
  EXPECT_GT(closed, 1.1 * plain);
  for (const Engine* engine : {&disturbed_interpret_engine(), &disturbed_simulate_engine()}) {
    const Prediction followed = answer_by(*engine, model, question);
    EXPECT_NEAR(followed.seconds.value, closed, 1e-6 * closed) << engine->name();
    EXPECT_NEAR(followed.parts.wait.value, closed - plain, 1e-6 * closed) << engine->name();
  }
  const Prediction automatic = answer(model, question);
  ASSERT_TRUE(automatic.second);
  EXPECT_NEAR(automatic.second->seconds, automatic.seconds.value, 1e-6 * closed);
}

// With 5 % of a core, overheads of 300 us take 15 us of a process that waited. The interpreter follows each
// budget; the closed form counts what is saved in latencies.
TEST(AutoEngine, SharesOfACoreShortenWaitsInBothEngines) {
  machine::Machine machine = machine_by_hand();
  machine.core_share = {0.05, 0, 9, Origin::measured}, machine.share_period = {2e-3, 0, 9, Origin::measured};
  machine::Link& network = machine.links["network"];
  network.latency.value = 500 * kMicro;
  network.send_overhead.value = network.receive_overhead.value = 300 * kMicro;
  machine.links = {{"network", network}}, machine.patterns.clear();
  for (const char* call : {"allreduce 8 B", "barrier", "shift 8 B to (r+1) mod p from (r-1) mod p"})
    for (const double computing : {100, 2000, 20000}) {
      const program::Model model =
          written("parameter us = 100\nrepeat 100\n  compute us us\n  " + std::string(call) + "\n");
      const auto of = [&](const Engine& engine) {
        const auto out = engine.predict(model, machine, ask(16, {{"us", computing}}), {});
        EXPECT_TRUE(out) << (out ? "" : to_string(out.error()));
        return out ? out->seconds.value : 0;
      };
      const double followed = of(interpret_engine());
      EXPECT_NEAR(of(equation_engine()), followed, 0.2 * followed) << call << ", " << computing << " us";
    }
}

// No rank sends what rank 0 waits for. In a recorded program the rules are wrong; in a written one the
// program is.
TEST(AutoEngine, AnOrderWithoutTheMessageOfAReceiveIsNoDeadlock) {
  const program::Model model =
      written("if r == 0\n  send 8 B to 1\n  receive 8 B from 1\nif r == 1\n  receive 8 B from 0\n");
  EXPECT_TRUE(answer(model, ask(2)).hang);
  const Prediction recorded = answer(as_recorded(model), ask(2));
  EXPECT_FALSE(recorded.hang);
  EXPECT_EQ(recorded.engine, "equation");
  ASSERT_FALSE(recorded.warnings.empty());
  EXPECT_THAT(recorded.warnings.back().text,
              HasSubstr("messages without a receive, or receives without a message: 1"));
  const auto refused =
      disturbed_interpret_engine().predict(as_recorded(model), machine_by_hand(), ask(2), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("messages without a receive"));
}

std::vector<Question> sizes(int count) {
  std::vector<Question> out;
  for (int n = 1; n <= count; ++n) out.push_back(ask(4, {{"n", n}}));
  return out;
}

TEST(ManyPoints, FewAreEachChecked) {
  const program::Model model = written("parameter n = 100\nrepeat 10\n  compute n us\n  allreduce 8 B\n");
  const ManyPointsChoice choice = choose_for_many(model, machine_by_hand(), sizes(16));
  EXPECT_FALSE(choice.by_equation);
  EXPECT_FALSE(choice.warning);
}

TEST(ManyPoints, OfManySixteenAreCompared) {
  const program::Model model = written("parameter n = 100\nrepeat 10\n  compute n us\n  allreduce 8 B\n");
  const ManyPointsChoice choice = choose_for_many(model, machine_by_hand(), sizes(40));
  EXPECT_TRUE(choice.by_equation);
  ASSERT_TRUE(choice.warning);
  EXPECT_EQ(choice.warning->code, "waits-unchecked");
  EXPECT_THAT(choice.warning->text, HasSubstr("at 16 of 40 points"));
}

TEST(ManyPoints, WhereRanksTakeTurnsEachIsChecked) {
  std::vector<Question> questions;
  for (int n = 1; n <= 40; ++n) questions.push_back(ask(2, {{"n", n}}));
  EXPECT_FALSE(choose_for_many(written(kPingPong), machine_by_hand(), questions).by_equation);
}

// Only messages of 40,000 bytes exceed the eager limit: at the last point both ranks wait in their sends.
TEST(ManyPoints, AHangAtTheLastPointIsNotMissed) {
  const program::Model model = written(
      "parameter n = 1\nif r == 0\n  send 1000*n B to 1\n  receive 1000*n B from 1\nif r == 1\n  send 1000*n "
      "B to 0\n  receive 1000*n B from 0\n");
  machine::Machine machine = machine_by_hand();
  machine.links["network"].eager_limit = measured(39'500);
  std::vector<Question> questions;
  for (int n = 1; n <= 40; ++n) questions.push_back(ask(2, {{"n", n}}));
  EXPECT_FALSE(choose_for_many(model, machine, questions).by_equation);
}

TEST(AutoEngine, RanksThatBothReceiveFirstHang) {
  const Prediction prediction = answer(written(kBothReceive), ask(2));
  ASSERT_TRUE(prediction.hang);
  EXPECT_EQ(prediction.hang->waiting.size(), 2u);
  EXPECT_THAT(prediction.hang->circle, ElementsAre(0, 1));
  EXPECT_FALSE(prediction.hang->by_choice);
  EXPECT_FALSE(prediction.hang->has_finished(0));
  const std::string json = to_json(prediction);
  EXPECT_THAT(json, HasSubstr("\"circle\""));
  EXPECT_THAT(json, HasSubstr("\"value\": null"));
  const auto back = prediction_from_json(json, "hang.json");
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().what, HasSubstr("its run would hang"));
}

// By hand, with unknown H and G': a handshake of 2 L, L, and G for each byte.
TEST(AutoEngine, ALongContributionToACollectiveTakesItsBytes) {
  machine::Machine machine = simple_machine(10 * kMicro, 0, 1e-9);
  machine.links["network"].eager_limit = measured(1024);
  const auto answer = auto_engine().predict(written("gather 1000000 B to 0\n"), machine, ask(2), {});
  ASSERT_TRUE(answer.ok());
  EXPECT_NEAR(answer->seconds.value, 1030 * kMicro, 1e-9 * kMicro);
}

// Members 0, 2 and 1, 3 of a grid's columns are on two nodes each, although one node has room for two.
TEST(AutoEngine, ACollectiveOfSomeRanksTakesTheLinkBetweenTheirNodes) {
  machine::Machine machine = simple_machine(100 * kMicro, 0, 0);
  machine.links["core"] = machine.links["socket"] = machine.links["node"] = machine.links["network"];
  for (const char* name : {"core", "socket", "node"}) machine.links[name].latency = measured(1 * kMicro);
  machine.cores_per_node = 2;
  const auto columns = auto_engine().predict(written("grid 2\nbarrier among columns\n"), machine, ask(4), {});
  ASSERT_TRUE(columns.ok());
  EXPECT_NEAR(columns->seconds.value, 100 * kMicro, 1e-9 * kMicro);
  const auto rows = auto_engine().predict(written("grid 2\nbarrier among rows\n"), machine, ask(4), {});
  ASSERT_TRUE(rows.ok());
  EXPECT_NEAR(rows->seconds.value, 1 * kMicro, 1e-9 * kMicro);
}

// One rank per node, as requested: a collective uses the network although a node has cores for all.
TEST(AutoEngine, ACollectiveOfRanksOnNodesOfTheirOwnGoesOverTheNetwork) {
  machine::Machine machine = simple_machine(100 * kMicro, 0, 0);
  machine.links["core"] = machine.links["network"];
  machine.links["core"].latency = measured(1 * kMicro);
  machine.cores_per_node = 8;
  Question question = ask(4);
  question.ranks_per_node = 1;
  const auto spread = auto_engine().predict(written("barrier\n"), machine, question, {});
  ASSERT_TRUE(spread.ok());
  EXPECT_NEAR(spread->seconds.value, 200 * kMicro, 1e-9 * kMicro);
  EXPECT_EQ(spread->engine, "equation");
}

// A token ring takes n p rounds of 1 ms and a message, whichever thread answers.
TEST(AutoEngine, ManyPointsKeepTheirOrder) {
  const program::Model model = written(kTokenRing);
  std::vector<Question> questions;
  for (const std::int32_t p : {2, 3, 5, 8})
    for (const double n : {10., 20., 30.}) questions.push_back(ask(p, {{"n", n}}));
  double last = 0;
  const auto answers = predict_each(auto_engine(), model, machine_by_hand(), questions, [&](double done) {
    EXPECT_GE(done, last);
    last = done;
  });
  EXPECT_LE(last, 1);  // 0 where the other threads answered all
  ASSERT_EQ(answers.size(), questions.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i]) << to_string(answers[i].error());
    const double rounds = questions[i].point.parameters.at("n") * questions[i].point.processes;
    EXPECT_NEAR(answers[i]->seconds.value, rounds * (1e-3 + message(8)), 1e-8);
  }
}

TEST(AutoEngine, OneProcessThatWaitsForItselfHangs) {
  const Prediction prediction =
      answer(written("receive 8 B from (r - 1) mod p\nsend 8 B to (r + 1) mod p\n"), ask(1));
  ASSERT_TRUE(prediction.hang);
  EXPECT_EQ(prediction.hang->waiting.size(), 1u);
}

TEST(AutoEngine, APipelineWithoutRoundsTakesNoTime) {
  const program::Model model =
      written("parameter n = 0\nrepeat n\n  receive 8 B from r - 1\n  compute 1 us\n  send 8 B to r + 1\n");
  EXPECT_EQ(answer(model, ask(2, {{"n", 0}})).seconds.value, 0);
}

TEST(AutoEngine, EveryEngineThatFollowsRanksFindsTheHang) {
  const program::Model model = written(kBothReceive);
  for (const Engine* engine : {&interpret_engine(), &simulate_engine()}) {
    const auto result = engine->predict(model, machine_by_hand(), ask(2));
    ASSERT_TRUE(result) << to_string(result.error());
    ASSERT_TRUE(result->hang) << engine->name();
    EXPECT_EQ(result->hang->waiting.size(), 2u);
  }
}

/// The order of operations has twice the computing of the segments, as in a disturbed recording.
program::Model disturbed_order() {
  program::Model model = written("parameter n = 100\nrepeat 10\n  compute n us\n  allreduce 8 B\n");
  model.written_in.clear();
  for (program::Step& loop : model.structure->steps)
    for (program::Step& step : loop.body)
      for (program::Computing& each : step.computing) each.seconds = 2 * each.seconds, each.parts.clear();
  return model;
}

TEST(ComputingScale, BringsTheOrderOfOperationsToTheSumOfTheSegments) {
  const program::Model model = disturbed_order();
  const Question question = ask(4, {{"n", 50}});
  auto traced = program::graph_trace(model, question.point);
  ASSERT_TRUE(traced) << to_string(traced.error());
  EXPECT_NEAR(computing_seconds(traced->trace), 4 * 10 * 100 * kMicro, 1e-12);
  const auto scale = fit_to_segments(model, question, traced->trace);
  ASSERT_TRUE(scale) << to_string(scale.error());
  EXPECT_NEAR(scale->factor, 0.5, 1e-12);
  EXPECT_TRUE(scale_warning(*scale));
}

/// All ranks compute 1 ms by the segments. The order of operations has 4 ms on rank 0, which alone sends.
program::Model uneven_order(Origin origin) {
  program::Model model = written(
      "parameter n = 100\nrepeat 10\n  compute n us\n  if r == 0\n    send 8 B to 1\n  if r == 1\n    "
      "receive 8 B "
      "from 0\n  allreduce 8 B\n");
  model.written_in.clear();
  program::for_each_step(model.structure->steps, [](program::Step& step) {
    for (program::Computing& each : step.computing) {
      each.parts.clear();
      if (step.operation == trace::Kind::send) each.seconds = 4 * each.seconds;
    }
  });
  for (program::Segment& segment : model.segments) segment.executions.origin = origin;
  return model;
}

std::vector<double> seconds_of_ranks(const program::Model& model) {
  const Question question = ask(4, {{"n", 100}});
  auto traced = program::graph_trace(model, question.point);
  EXPECT_TRUE(traced) << to_string(traced.error());
  const auto scale = fit_to_segments(model, question, traced->trace);
  EXPECT_TRUE(scale) << to_string(scale.error());
  std::vector<double> out;
  for (const std::uint32_t sequence : traced->trace.sequence_of)
    out.push_back(scale->factor * trace::computing_of(traced->trace.sequences[sequence]) * 1e-12);
  return out;
}

// 1.1 ms on rank 0, and the same on each other: (4 - 1.1) / 3 ms, inside 1 / 1.1.
TEST(ComputingScale, BoundsRanksByTheirSegments) {
  const std::vector<double> seconds = seconds_of_ranks(uneven_order(Origin::exact));
  ASSERT_EQ(seconds.size(), 4u);
  EXPECT_NEAR(seconds[0], 1.1e-3, 1e-9);
  for (const std::size_t rank : {1, 2, 3}) EXPECT_NEAR(seconds[rank], 2.9e-3 / 3, 1e-9) << rank;
}

// 4 : 1 : 1 : 1 of 4 ms.
TEST(ComputingScale, KeepsTheOrderWhereSegmentsAreMeansOverRanks) {
  const std::vector<double> seconds = seconds_of_ranks(uneven_order(Origin::fitted));
  ASSERT_EQ(seconds.size(), 4u);
  EXPECT_NEAR(seconds[0], 16e-3 / 7, 1e-9);
  EXPECT_NEAR(seconds[3], 4e-3 / 7, 1e-9);
}

TEST(ComputingScale, MakesTheEnginesAgree) {
  const program::Model model = disturbed_order();
  const Question question = ask(4, {{"n", 50}});
  const double seconds = 10 * (50 * kMicro + 4e-6 + 2 * 1.5e-6 + 8 * 3e-10);
  for (const Engine* engine : {&equation_engine(), &interpret_engine(), &simulate_engine()}) {
    const auto result = engine->predict(model, machine_by_hand(), question);
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_NEAR(result->seconds.value, seconds, 1e-8 * seconds) << engine->name();
  }
}

}  // namespace
}  // namespace parcast::predict
