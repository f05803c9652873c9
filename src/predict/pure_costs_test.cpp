// SPDX-License-Identifier: Apache-2.0
#include "predict/pure_costs.h"

#include <gmock/gmock.h>

#include <cmath>

#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::NodeId;
using testing::HasSubstr;

// steps x { n / p times 3 additions and 2 loads, a call of an unknown function once; allreduce }, on steps
// seconds measured
program::Model counted() {
  Builder b("counted");
  b.add_parameter("n", {1000});
  b.add_parameter("steps", {10});
  b.model.processes = {1};
  const Expression n = parameter("n"), steps = parameter("steps");
  const NodeId loop = b.loop(0, steps);
  const NodeId reduce = b.collective(loop, "MPI_Allreduce", recording::Pattern::allreduce,
                                     program::Synchronisation::global, steps, 8);
  const std::size_t s = b.segment(loop, reduce, reduce, steps, proportional(Expression(1), 1));
  b.model.segments[s].share = 1;
  b.model.recorded_on = "Another Processor";
  b.model.blocks = {{"a.c", "work", 1, "a.c:3", {{"double_add", 3}, {"load", 2}, {"loaded_bytes", 16}}},
                    {"a.c", "work", 2, "a.c:5", {{"call", 1}}}};
  b.model.work = {
      {reduce,
       {{0, steps * n / p(), program::CountTier::symbolic}, {1, steps, program::CountTier::symbolic}}}};
  return b.model;
}

machine::Machine priced_machine() {
  machine::Machine m = simple_machine(0, 0, 0);
  const auto cost = [](const char* name, double dependent, double independent) {
    machine::OperationCost out{name, {}, {}};
    out.dependent.value = dependent, out.independent.value = independent;
    return out;
  };
  m.operations = {cost("double_add", 4e-9, 1e-9), cost("load", 5e-9, 0.5e-9)};
  return m;
}

// One computing interval on one process, where communication costs nothing.
Prediction predicted(const program::Model& model, const machine::Machine& machine, double n, double steps) {
  const auto found = equation_engine().predict(model, machine, ask(1, {{"n", n}, {"steps", steps}}), {});
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : to_string(found.error()));
  return found.ok() ? *found : Prediction{};
}

TEST(PureCosts, OperationsTimesTheirPrices) {
  const auto model = with_pure_costs(counted(), priced_machine());
  ASSERT_TRUE(model) << to_string(model.error());
  for (const double n : {1000.0, 123457.0}) {
    const Prediction x = predicted(*model, priced_machine(), n, 20);
    // A call weighs 3 additions (source_counts.md).
    EXPECT_NEAR(x.seconds.value, 20 * (n * (3 * 1e-9 + 2 * 0.5e-9) + 3 * 1e-9), 1e-12 * x.seconds.value);
    const double waiting = 20 * (n * (3 * 4e-9 + 2 * 5e-9) + 3 * 1e-9);
    EXPECT_LE(x.seconds.low, x.seconds.value);
    EXPECT_NEAR(x.seconds.high, waiting, 0.02 * waiting);
    EXPECT_EQ(x.seconds.origin, Origin::assumed);
    for (const Warning& warning : x.warnings) EXPECT_NE(warning.code, "compute-not-scaled");
  }
  ASSERT_FALSE(model->notices.empty());
  EXPECT_THAT(model->notices.back().text, HasSubstr("what call cost is taken from additions"));
}

TEST(PureCosts, WhatVectorInstructionsDoTogetherIsPricedOnce) {
  program::Model model = counted();
  // 3 additions are 3/4 instructions, 2 loads 3/2
  model.blocks[0].packed = {{"double_add", {8, 2}}, {"load", {4, 3}}};
  const auto pure = with_pure_costs(model, priced_machine());
  ASSERT_TRUE(pure) << to_string(pure.error());
  const Prediction x = predicted(*pure, priced_machine(), 1000, 20);
  EXPECT_NEAR(x.seconds.value, 20 * (1000 * (0.75 * 1e-9 + 1.5 * 0.5e-9) + 3 * 1e-9),
              1e-12 * x.seconds.value);
  const double waiting = 20 * (1000 * (0.75 * 4e-9 + 1.5 * 5e-9) + 3 * 1e-9);
  EXPECT_NEAR(x.seconds.high, waiting, 0.02 * waiting);
  EXPECT_THAT(pure->notices.back().text, HasSubstr("vector instructions"));
}

// Of n / p iterations, 0.25 are mispredicted, at 20 ns each. 20 operations separate two mispredictions: they
// expose a chain of the square root of their number, at the 22 ns that five operations take when each waits
// (3 of 4 ns, 2 of 5 ns).
TEST(PureCosts, BranchesThatAreNotForeseenCostThePipelineAndTheChainBeforeThem) {
  program::Model model = counted();
  model.blocks.resize(1);
  model.work[0].blocks.resize(1);
  model.blocks.push_back({"a.c", "work", 1, "a.c:3", {{"branch_mispredicted", 1}}});
  const Expression n = parameter("n"), steps = parameter("steps");
  model.work[0].blocks.push_back({1, symbolic::real(0.25) * steps * n / p(), program::CountTier::measured});
  machine::Machine machine = priced_machine();
  machine::OperationCost turn{"branch_mispredicted", {}, {}};
  turn.dependent.value = 20e-9;
  machine.operations.push_back(turn);
  const auto full = with_pure_costs(model, machine, Overlap::full);
  ASSERT_TRUE(full) << to_string(full.error());
  const Prediction x = predicted(*full, machine, 1000, 20);
  const double expected = 20 * 1000 * (4e-9 + 0.25 * (20e-9 + std::sqrt(20.0) * 22e-9 / 5));
  EXPECT_NEAR(x.seconds.value, expected, 1e-9 * expected);
  // When all operations wait, the chain is in their prices.
  const auto unknown = with_pure_costs(model, machine);
  ASSERT_TRUE(unknown);
  EXPECT_GT(predicted(*unknown, machine, 1000, 20).seconds.high, 0.98 * 20 * 1000 * (22e-9 + 0.25 * 20e-9));
  // Chains are no longer than the number of operations in flight in a processor.
  model.work[0].blocks[1].count = symbolic::real(0.001) * steps * n / p();
  const auto rare = with_pure_costs(model, machine, Overlap::full);
  ASSERT_TRUE(rare);
  const double seldom = 20 * 1000 * (4e-9 + 0.001 * (20e-9 + 16 * 22e-9 / 5));
  EXPECT_NEAR(predicted(*rare, machine, 1000, 20).seconds.value, seldom, 1e-9 * seldom);
  // A machine without a price for mispredictions.
  const auto without = with_pure_costs(model, priced_machine(), Overlap::full);
  ASSERT_TRUE(without);
  EXPECT_NEAR(predicted(*without, priced_machine(), 1000, 20).seconds.value, 20 * 1000 * 4e-9, 1e-12);
}

TEST(PureCosts, WhatIsNotCountedKeepsItsSeconds) {
  program::Model model = counted();
  model.segments.push_back(model.segments[0]);
  model.segments[0].share = 0.75;
  model.segments[1].from = program::kNone;
  model.segments[1].executions = exact(1);
  model.segments[1].share = 0.25;
  const auto pure = with_pure_costs(model, priced_machine());
  ASSERT_TRUE(pure);
  EXPECT_THAT(pure->notices.back().text, HasSubstr("25 % of the recorded computing was not counted"));
  EXPECT_EQ(pure->segments[1].cost.growth->hypotheses.size(), 1u);
  EXPECT_EQ(pure->segments[1].cost.growth->predict(std::vector<double>{1}), 1);
}

TEST(PureCosts, DataBeyondTheFirstCacheCostTheirWay) {
  program::Model model = counted();
  const Expression n = parameter("n");
  model.footprint = 8 * n / p();
  model.segments[0].cost.streamed = 16 * n / p();
  machine::Machine machine = priced_machine();
  machine::MemoryLevel first, memory;
  first.name = "L1", first.capacity.value = 32768, first.bandwidth.value = 64e9;
  memory.name = "memory", memory.bandwidth.value = 4e9;
  machine.memory = {first, memory};
  const auto pure = with_pure_costs(model, machine);
  ASSERT_TRUE(pure) << to_string(pure.error());
  const auto operations = [](double size) { return 20 * (size * 4e-9 + 3e-9); };
  // 32768 bytes: in it
  EXPECT_NEAR(predicted(*pure, machine, 4096, 20).seconds.value, operations(4096), 1e-9 * operations(4096));
  const double beyond = 20 * 16 * 4097.0 * (1 / 4e9 - 1 / 64e9);
  EXPECT_NEAR(predicted(*pure, machine, 4097, 20).seconds.value, operations(4097) + beyond,
              1e-9 * operations(4097));
}

TEST(PureCosts, WithoutCountsOrPricesItSaysSo) {
  program::Model plain = counted();
  plain.work.clear();
  const auto no_counts = with_pure_costs(plain, priced_machine());
  ASSERT_FALSE(no_counts);
  EXPECT_THAT(no_counts.error().what, HasSubstr("has no operations"));
  EXPECT_THAT(no_counts.error().hint, HasSubstr("parcast cc"));
  const auto no_prices = with_pure_costs(counted(), simple_machine(0, 0, 0));
  ASSERT_FALSE(no_prices);
  EXPECT_THAT(no_prices.error().hint, HasSubstr("parcast calibrate"));
}

}  // namespace
}  // namespace parcast::predict
