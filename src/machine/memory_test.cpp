// SPDX-License-Identifier: Apache-2.0
#include "machine/memory.h"

#include <gtest/gtest.h>

#include "machine/cost.h"

namespace parcast::machine {
namespace {

using symbolic::Expression;
using symbolic::symbol;
using symbolic::SymbolKind;

Parameter given(double value) {
  return {value, 0, 0, Origin::assumed};
}

Machine three_levels() {
  Machine machine;
  machine.name = "three";
  machine.memory_per_node = 1e6;
  machine.memory = {{"L1", given(1000), given(8e9), {}, {}},
                    {"L2", given(10000), given(4e9), {}, {}},
                    {"memory", {}, given(1e9), {}, given(0.5e9)}};
  machine.working_sets = {{1, 1024, 1e-9, 8e9}, {1, 4096, 5e-9, 4e9}, {2, 4096, 6e-9, 2e9}};
  return machine;
}

double at(const Expression& expression, const Machine& machine, double footprint) {
  symbolic::Binding binding = cost_binding(machine);
  binding["n"] = footprint;
  return evaluate(expression, binding).value();
}

TEST(Memory, AnArrayBeyondACacheMissesWholeInIt) {
  const Machine machine = three_levels();
  const Expression n = symbol("n", SymbolKind::parameter);
  const Expression seconds = transfer_seconds(machine, 4000, n);
  EXPECT_DOUBLE_EQ(at(seconds, machine, 1000), 4000 / 8e9);
  EXPECT_DOUBLE_EQ(at(seconds, machine, 1001), 4000 / 4e9);
  EXPECT_DOUBLE_EQ(at(seconds, machine, 10000), 4000 / 4e9);
  EXPECT_DOUBLE_EQ(at(seconds, machine, 10001), 4000 / 1e9);
  const Expression first = misses(machine, "L1", 6400, n);
  EXPECT_EQ(at(first, machine, 1000), 0);
  EXPECT_EQ(at(first, machine, 1001), 100);
  EXPECT_EQ(at(misses(machine, "L2", 6400, n), machine, 9000), 0);
  EXPECT_EQ(at(misses(machine, "L9", 6400, n), machine, 9000), 0);
}

TEST(Memory, PagesFaultOnceTheNodeIsFull) {
  const Machine machine = three_levels();
  const Expression n = symbol("n", SymbolKind::parameter);
  const Expression faults = page_faults(machine, 8192, n);
  EXPECT_EQ(at(faults, machine, 1e6), 0);
  EXPECT_EQ(at(faults, machine, 1e6 + 1), 2);
}

TEST(Memory, SharedBandwidthStandsInWhereItWasMeasured) {
  const Machine machine = three_levels();
  const Expression n = symbol("n", SymbolKind::parameter);
  const Expression seconds = transfer_seconds(machine, 4000, n, Sharing::all_cores);
  EXPECT_DOUBLE_EQ(at(seconds, machine, 1e5), 4000 / 0.5e9);
  EXPECT_DOUBLE_EQ(at(seconds, machine, 10), 4000 / 8e9);
}

TEST(Memory, StreamingIsStraightBetweenPointsAndNeverFallsWithTheFootprint) {
  Machine machine;
  // In ns per byte: 1, 3, 2, 6; the two in the middle are averaged to 2.5.
  machine.working_sets = {{1, 1000, 0, 1e9},
                          {1, 2000, 0, 1e9 / 3},
                          {1, 4000, 0, 1e9 / 2},
                          {1, 5000, 0, 1e9 / 6},
                          {2, 1000, 0, 1e9 / 9}};
  const Expression n = symbol("n", SymbolKind::parameter);
  const Expression alone = streaming_seconds(machine, n, 1);
  for (const auto& [bytes, nanoseconds] : {std::pair{10., 1.},
                                           {1000., 1.},
                                           {1500., 1.75},
                                           {2000., 2.5},
                                           {3000., 2.5},
                                           {4000., 2.5},
                                           {4500., 4.25},
                                           {5000., 6.},
                                           {1e9, 6.}})
    EXPECT_NEAR(at(alone, machine, bytes), nanoseconds * 1e-9, 1e-20) << bytes;
  EXPECT_NEAR(at(streaming_seconds(machine, n, 7), machine, 3000), 9e-9, 1e-20)
      << "the most cores that were measured";
  EXPECT_TRUE(streaming_seconds(Machine{}, n, 1).is_zero());
}

}  // namespace
}  // namespace parcast::machine
