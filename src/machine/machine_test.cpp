// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace parcast::machine {
namespace {

Machine sound() {
  Machine machine = ideal_machine();
  machine.memory.resize(2);
  machine.memory[0] = {"L1", {32768, 0, 1, Origin::measured}, {}, {}, {}};
  machine.memory[1].name = "memory";
  PatternCost pattern;
  pattern.pattern = recording::Pattern::broadcast;
  pattern.name = "broadcast";
  pattern.points = {{2, 8, 1e-6, 0, 3}};
  pattern.pieces.resize(2);
  pattern.pieces[0].growth = "1";
  pattern.pieces[1].growth = "log2";
  pattern.pieces[1].from_bytes = 1024;
  machine.patterns.push_back(pattern);
  return machine;
}

TEST(Machine, TheIdealMachineIsInOrderAndFree) {
  const Machine ideal = ideal_machine();
  ASSERT_TRUE(check(ideal));
  for (const auto& [name, parameter] : known_parameters(ideal)) EXPECT_EQ(parameter.value, 0) << name;
}

TEST(Machine, ParametersHaveDistinctDottedNames) {
  Machine machine = sound();
  std::set<std::string> names;
  for (const NamedParameter& named : parameters(machine))
    EXPECT_TRUE(names.insert(named.name).second) << named.name;
  for (const char* name :
       {"core_speed", "links.node.latency", "memory.L1.capacity", "patterns.broadcast.1.startup_growth"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Machine, EachRuleIsChecked) {
  ASSERT_TRUE(check(sound()));
  const auto where = [](auto change) {
    Machine machine = sound();
    change(machine);
    const auto kept = check(machine);
    return kept ? std::string("in order") : kept.error().where;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(where([](Machine& m) { m.nodes = 0; }), "nodes");
  EXPECT_EQ(where([](Machine& m) { m.cores_per_node = -1; }), "cores_per_node");
  EXPECT_EQ(where([&](Machine& m) { m.memory_per_node = nan; }), "memory_per_node");
  EXPECT_EQ(where([](Machine& m) { m.links["node"].gap.value = -1; }), "links.node.gap");
  EXPECT_EQ(where([&](Machine& m) { m.links["node"].gap.value = nan; }), "links.node.gap");
  EXPECT_EQ(where([](Machine& m) { m.links["node"].gap.standard_error = -1; }), "links.node.gap");
  EXPECT_EQ(where([](Machine& m) { m.links["bus"]; }), "links.bus");
  EXPECT_EQ(where([](Machine& m) { m.memory[0].capacity.value = 0; }), "memory.L1.capacity");
  EXPECT_EQ(where([](Machine& m) {
              m.memory[1].capacity = {1024, 0, 1, Origin::assumed};
            }),
            "memory.memory.capacity");
  EXPECT_EQ(where([](Machine& m) { m.core_speed = {0, 0, 1, Origin::measured}; }), "core_speed");
  EXPECT_EQ(where([](Machine& m) { m.patterns[0].pieces[0].from_bytes = 1; }),
            "patterns.broadcast.0.from_bytes");
  EXPECT_EQ(where([](Machine& m) { m.patterns[0].pieces[1].from_bytes = 0; }),
            "patterns.broadcast.1.from_bytes");
  EXPECT_EQ(where([](Machine& m) { m.patterns[0].pieces[1].growth = "cubic"; }),
            "patterns.broadcast.1.growth");
  EXPECT_EQ(where([](Machine& m) { m.patterns[0].points[0].processes = 0; }), "patterns.broadcast.points.0");
  EXPECT_EQ(where([](Machine& m) { m.patterns.push_back(m.patterns[0]); }), "patterns.broadcast.name");
}

TEST(Machine, GrowthsHaveTheirValues) {
  EXPECT_EQ(growth_value("1", 5), 1);
  EXPECT_EQ(growth_value("ceil_log2", 5), 3);
  EXPECT_EQ(growth_value("ceil_log2", 8), 3);
  EXPECT_EQ(growth_value("log2", 8), 3);
  EXPECT_EQ(growth_value("linear", 5), 5);
  EXPECT_EQ(growth_value("peers", 5), 4);
  EXPECT_EQ(growth_value("sqrt", 9), 3);
}

TEST(Machine, PatternNamesReadBack) {
  for (const char* name : {"barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather",
                           "alltoall", "reduce_scatter", "scan"}) {
    const auto pattern = pattern_from(name);
    ASSERT_TRUE(pattern) << name;
    EXPECT_EQ(pattern_name(*pattern), name);
  }
  EXPECT_FALSE(pattern_from("gossip"));
}

}  // namespace
}  // namespace parcast::machine
