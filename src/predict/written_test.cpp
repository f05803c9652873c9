// SPDX-License-Identifier: Apache-2.0
// Written programs with both engines: times by hand, agreement, prices of a machine, intervals.
#include "language/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machine/machine_file.h"
#include "predict/by_interpretation.h"
#include "predict/by_simulation.h"
#include "predict/equation/equation.h"
#include "predict/machine_prices.h"
#include "predict/model_builder.h"
#include "statistics/distribution.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using recording::Pattern;

program::Model written(const std::string& text) {
  auto model = program::written::model_of_text("program test\n" + text, "test.program");
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : to_string(model.error()));
  return model.ok() ? *model : program::Model{};
}

machine::Machine with_tables() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  add_table(m, Pattern::allreduce, "log2", 4e-6, 1.5e-6, 3e-10, 0);
  add_table(m, Pattern::broadcast, "log2", 3e-6, 1e-6, 2e-10, 0);
  add_table(m, Pattern::barrier, "log2", 2e-6, 1e-6, 0, 0);
  add_table(m, Pattern::alltoall, "linear", 2e-6, 1e-6, 1e-10, 0);
  return m;
}

Prediction by(const Engine& engine, const program::Model& model, const machine::Machine& machine,
              const Question& question) {
  const auto result = engine.predict(model, machine, question);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? *result : Prediction{};
}

void expect_agreement(const program::Model& model, const Question& question, double seconds) {
  const machine::Machine machine = with_tables();
  const Prediction equation = by(equation_engine(), model, machine, question),
                   simulated = by(simulate_engine(), model, machine, question);
  EXPECT_NEAR(equation.seconds.value, seconds, 1e-9 * seconds);
  EXPECT_NEAR(simulated.seconds.value, equation.seconds.value, 1e-9 * seconds + 1e-12);
}

TEST(WrittenPrograms, ABulkSynchronousLoopTakesWhatItsSumSaysUnderBothEngines) {
  const program::Model model =
      written("parameter n = 100\nparameter steps = 10\nrepeat steps\n  compute n^2/p us\n  allreduce 8 B\n");
  for (const std::int32_t p : {2, 4, 16, 64}) {
    const double tree = std::log2(p);
    expect_agreement(model, ask(p, {{"n", 1000}, {"steps", 100}}),
                     100 * (1e6 / p * 1e-6 + 4e-6 + tree * 1.5e-6 + 8 * 3e-10));
  }
}

TEST(WrittenPrograms, SharesOfIterationsWaitForTheLargest) {
  // 1003 points on p ranks; the first ranks have one more.
  for (const std::string kind : {"cyclic", "block"}) {
    const program::Model model = written("parameter n = 100\nrepeat 10\n  parallel do i = 1..n " + kind +
                                         "\n    compute 1 us\n  barrier\n  compute 2 us\n  barrier\n");
    for (const std::int32_t p : {2, 5, 7, 16})
      expect_agreement(model, ask(p, {{"n", 1003}}),
                       10 * (std::ceil(1003.0 / p) * 1e-6 + 2e-6 + 2 * (2e-6 + std::log2(p) * 1e-6)));
  }
}

TEST(WrittenPrograms, NestedLoopsRegionsAndCallsOfCollectives) {
  const program::Model model = written(
      "define norm\n  compute 3 us\n  allreduce 16 B\nregion solve\n  repeat 5\n    compute 7 us\n    "
      "broadcast 100 B from 0\n    barrier\n    repeat 4\n      call norm\ncompute 11 us\nbarrier\n");
  const double barrier = 2e-6 + 3 * 1e-6, reduce = 4e-6 + 3 * 1.5e-6 + 16 * 3e-10,
               broadcast = 3e-6 + 3 * 1e-6 + 100 * 2e-10;
  expect_agreement(model, ask(8), 5 * (7e-6 + broadcast + barrier + 4 * (3e-6 + reduce)) + 11e-6 + barrier);
}

TEST(WrittenPrograms, ARingIsOneMessageEndToEnd) {
  const program::Model model = written(
      "parameter n = 100\nrepeat 50\n  compute 40 us\n  shift 8*n B to (r + 1) mod p from (r - 1) mod p\n");
  expect_agreement(model, ask(8, {{"n", 100}}), 50 * (40e-6 + 2 * 3e-7 + 2e-6 + 800 * 1e-9));
}

TEST(WrittenPrograms, ChanceIsRoundsUnderBothEngines) {
  const program::Model model =
      written("repeat 10\n  compute 1 us\n  if probability 0.3\n    allreduce 8 B\n  barrier\n");
  expect_agreement(model, ask(4), 10 * (1e-6 + 2e-6 + 2e-6) + 3 * (4e-6 + 3e-6 + 8 * 3e-10));
}

TEST(WrittenPrograms, NodesSumWithoutTheirHost) {
  // The host waits for the result: broadcast, computing and sum of the nodes, one message.
  const program::Model model = written(
      "host program\nparameter N = 100\nbroadcast 24 B from host\nnodes\n  parallel do i = 1..N cyclic\n    "
      "compute 1 us\n  allreduce 8 B among nodes\nif node 0\n  send 8 B to host\nhost\n  receive 8 B from "
      "node 0\n");
  const Prediction simulated = by(simulate_engine(), model, with_tables(), ask(5, {{"N", 1000}}));
  EXPECT_GT(simulated.seconds.value, 250e-6 + 4e-6);
  EXPECT_LT(simulated.seconds.value, 250e-6 + 40e-6);
  EXPECT_NEAR(simulated.parts.compute.value, 250e-6, 1e-9);
  const Prediction equation = by(equation_engine(), model, with_tables(), ask(5, {{"N", 1000}}));
  EXPECT_NEAR(equation.seconds.value, simulated.seconds.value, 0.05 * simulated.seconds.value);
}

TEST(WrittenPrograms, TheStandardErrorOfACostReachesTheInterval) {
  const program::Model model = written("repeat 10\n  compute 100 us +- 5 %\n  barrier\n");
  const double z = statistics::normal_quantile(0.95);
  for (const Engine* engine : {&equation_engine(), &simulate_engine()}) {
    const Prediction prediction = by(*engine, model, with_tables(), ask(4));
    const double factor = std::exp(z * 0.05);  // the logarithm is normal
    EXPECT_NEAR(prediction.seconds.high - prediction.seconds.value, 1e-3 * (factor - 1), 1e-7)
        << engine->name();
    EXPECT_NEAR(prediction.seconds.value - prediction.seconds.low, 1e-3 * (1 - 1 / factor), 1.5e-6)
        << engine->name();
  }
  const Prediction known =
      by(equation_engine(), written("repeat 10\n  compute 100 us\n  barrier\n"), with_tables(), ask(4));
  EXPECT_NEAR(known.seconds.high, known.seconds.value, 1e-9);
}

TEST(WrittenPrograms, SaysThatItIsWrittenAndNothingOfWhatWasRecorded) {
  const Prediction prediction = by(equation_engine(), written("parameter n = 3\ncompute n us\nbarrier\n"),
                                   with_tables(), ask(4, {{"n", 1e6}}));
  ASSERT_EQ(prediction.warnings.size(), 1u) << prediction.warnings[0].text << prediction.warnings.back().text;
  EXPECT_EQ(prediction.warnings[0].text,
            "counts and computing are those that test.program gives, not recorded ones; the interval has the "
            "errors stated there");
  EXPECT_TRUE(prediction.extrapolation.empty());
}

// ---- Prices

machine::Machine with_prices() {
  machine::Machine m = with_tables();
  m.core_speed = measured(2e9);
  m.operations.push_back({"double_add", measured(4e-9), measured(1e-9)});
  m.operations.push_back({"double_multiply", measured(5e-9), measured(5e-9)});
  return m;
}

TEST(WrittenPrograms, OperationsArePricedByTheMachine) {
  const auto model = with_machine_prices(written("compute 3000 operations\nbarrier\n"), with_prices());
  ASSERT_TRUE(model.ok());
  const double barrier = 2e-6 + 2 * 1e-6;
  for (const Engine* engine : {&equation_engine(), &simulate_engine()})
    EXPECT_NEAR(by(*engine, *model, with_prices(), ask(4)).seconds.value, 1.5e-6 + barrier, 1e-12)
        << engine->name();
}

TEST(WrittenPrograms, ClassesSpanFromManyUnderWayToEachWaiting) {
  const program::Model model = written("compute 1000 double_add, 2000 double_multiply, 1 us\nbarrier\n");
  const auto priced = with_machine_prices(model, with_prices());
  ASSERT_TRUE(priced.ok());
  const double barrier = 2e-6 + 2 * 1e-6, fast = 1000e-9 + 10000e-9 + 1e-6, slow = 4000e-9 + 10000e-9 + 1e-6;
  for (const Engine* engine : {&equation_engine(), &simulate_engine()}) {
    const Prediction prediction = by(*engine, *priced, with_prices(), ask(4));
    EXPECT_NEAR(prediction.seconds.value, fast + barrier, 1e-11) << engine->name();
    EXPECT_NEAR(prediction.seconds.high, slow + barrier, 0.02 * slow) << engine->name();
  }
  const auto unknown = with_machine_prices(written("compute 3 double_divide\nbarrier\n"), with_prices());
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().what, "what double_divide costs is not known of paper");
  EXPECT_FALSE(with_machine_prices(written("compute 3 operations\nbarrier\n"), with_tables()).ok());
}

TEST(WrittenPrograms, BytesCostWhatTheirLevelCostsBeyondTheFirst) {
  machine::Machine m = with_prices();
  m.memory.push_back({"L1", measured(1000), measured(8e9), {}, {}, 0});
  m.memory.push_back({"memory", {}, measured(1e9), {}, {}, 0});
  const program::Model model =
      written("parameter n = 10\ndata A (n) of 8 B\ncompute 1 us, A.bytes\nbarrier\n");
  const auto priced = with_machine_prices(model, m);
  ASSERT_TRUE(priced.ok()) << to_string(priced.error());
  const double barrier = 2e-6 + 2 * 1e-6;
  EXPECT_NEAR(by(simulate_engine(), *priced, m, ask(4, {{"n", 100}})).seconds.value, 1e-6 + barrier, 1e-11);
  EXPECT_NEAR(by(simulate_engine(), *priced, m, ask(4, {{"n", 1000}})).seconds.value,
              1e-6 + 8000 * (1e-9 - 0.125e-9) + barrier, 1e-10);
  EXPECT_NEAR(by(equation_engine(), *priced, m, ask(4, {{"n", 1000}})).seconds.value,
              1e-6 + 8000 * (1e-9 - 0.125e-9) + barrier, 1e-10);
  EXPECT_FALSE(with_machine_prices(written("compute 8 B\nbarrier\n"), m).ok());
}

/// A host that talks to a hypercube through a service module: the collectives of the program go over routes
/// of both kinds.
TEST(WrittenPrograms, OnAHostAndItsCubeThreeEnginesAgree) {
  const auto machine = machine::read_machine(std::string(PARCAST_SOURCE_DIR) +
                                             "/src/machine/systems/ipsc860-host.machine.toml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  const std::map<std::string, std::map<std::string, double>> programs{
      {"trapezoid", {{"N", 1000000}, {"times", 20}}}, {"estar", {{"n", 2000}, {"m", 500}, {"times", 20}}}};
  for (const auto& [name, parameters] : programs) {
    const auto model = program::written::read_program(std::string(PARCAST_SOURCE_DIR) + "/examples/" + name +
                                                      "/" + name + ".program");
    ASSERT_TRUE(model) << to_string(model.error());
    for (const std::int32_t p : {5, 9}) {
      const Question question = ask(p, parameters);
      const Prediction followed = by(interpret_engine(), *model, *machine, question);
      EXPECT_EQ(followed.nodes, p);
      for (const Engine* engine : {&equation_engine(), &simulate_engine()}) {
        const Prediction other = by(*engine, *model, *machine, question);
        EXPECT_NEAR(other.seconds.value / followed.seconds.value, 1, 0.1) << other.engine << name << p;
        EXPECT_EQ(other.nodes, p) << other.engine;
        EXPECT_NEAR(other.node_hours.value / other.seconds.value, p / 3600.0, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace parcast::predict
