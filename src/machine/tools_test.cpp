// SPDX-License-Identifier: Apache-2.0
#include "machine/tools.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/system.h"
#include "machine/test_systems.h"

namespace parcast::machine {
namespace {

Machine small() {
  Machine machine;
  machine.name = "small";
  Link& link = machine.links["core"];
  link.latency = {1e-6, 1e-8, 50, Origin::measured};
  link.gap_per_byte = {1e-9, 0, 50, Origin::measured};
  return machine;
}

TEST(SetParameter, TakesAValueWithItsUnitAndMakesItAssumed) {
  Machine machine = small();
  ASSERT_TRUE(set_parameter(machine, "links.core.latency=2us"));
  EXPECT_DOUBLE_EQ(machine.links["core"].latency.value, 2e-6);
  EXPECT_EQ(machine.links["core"].latency.standard_error, 0);
  EXPECT_EQ(machine.links["core"].latency.origin, Origin::assumed);
  ASSERT_TRUE(set_parameter(machine, "nodes = 4"));
  EXPECT_EQ(machine.nodes, 4);
  ASSERT_TRUE(set_parameter(machine, "memory_per_node=24GB"));
  EXPECT_EQ(machine.memory_per_node, 24e9);
}

TEST(DimensionOf, IsThatOfTheValueThatSetParameterTakes) {
  const Machine machine = small();
  for (const auto& [name, dimension] :
       {std::pair{"L", Dimension::time}, std::pair{"G", Dimension::time_per_byte},
        std::pair{"S", Dimension::data}, std::pair{"nodes", Dimension::none},
        std::pair{"memory_per_node", Dimension::data}, std::pair{"noise", Dimension::none},
        std::pair{"links.core.latency", Dimension::time},
        std::pair{"links.network.gap_per_byte", Dimension::time_per_byte}}) {
    const auto found = dimension_of(machine, name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(*found, dimension) << name;
  }
  EXPECT_EQ(dimension_of(machine, "latency").value(), Dimension::time);
  EXPECT_FALSE(dimension_of(machine, "speed"));
  EXPECT_EQ(dimension_of(machine, "links.core.latncy").error().hint, "did you mean links.core.latency?");
}

TEST(SetParameter, AParameterOfLinksAloneSetsEveryLink) {
  Machine machine = small();
  machine.links["network"];
  ASSERT_TRUE(set_parameter(machine, "latency=5us"));
  ASSERT_TRUE(set_parameter(machine, "eager_limit=0"));
  ASSERT_TRUE(set_parameter(machine, "latency*2"));
  for (const auto& [name, link] : machine.links) {
    EXPECT_DOUBLE_EQ(link.latency.value, 10e-6) << name;
    EXPECT_EQ(link.eager_limit.value, 0) << name;
    EXPECT_EQ(link.eager_limit.origin, Origin::assumed) << name;
  }
  const auto without_unit = set_parameter(machine, "eager_limit=4096");
  ASSERT_FALSE(without_unit);
  EXPECT_EQ(without_unit.error().hint, "did you mean \"4096B\"?");
  EXPECT_EQ(set_parameter(machine, "eager_limt=0").error().hint, "did you mean eager_limit?");
}

TEST(SetParameter, LettersOfLogGPSetEveryLink) {
  Machine machine = small();
  machine.links["network"];
  ASSERT_TRUE(set_parameter(machine, "o=3us"));
  for (const auto& [name, link] : machine.links) {
    EXPECT_DOUBLE_EQ(link.send_overhead.value, 3e-6) << name;
    EXPECT_DOUBLE_EQ(link.receive_overhead.value, 3e-6) << name;
  }
  ASSERT_TRUE(set_parameter(machine, "S=64KiB"));
  EXPECT_EQ(machine.links["network"].eager_limit.value, 65536);
}

TEST(SetParameter, AddsALinkThatIsNotThereYet) {
  Machine machine = small();
  ASSERT_TRUE(set_parameter(machine, "links.network.latency=5us"));
  EXPECT_DOUBLE_EQ(machine.links.at("network").latency.value, 5e-6);
}

TEST(SetParameter, ALinkThatItAddedIsToldIncompleteUntilItHasBothCosts) {
  Machine machine = small();
  EXPECT_TRUE(check_complete(machine));
  ASSERT_TRUE(set_parameter(machine, "links.node.latency=2us"));
  EXPECT_EQ(to_string(check_complete(machine).error()),
            "error: links.node has no gap_per_byte\n"
            "  set it too, for example links.node.gap_per_byte=0.4ns/B");
  ASSERT_TRUE(set_parameter(machine, "links.node.gap_per_byte=0ns/B"));
  EXPECT_TRUE(check_complete(machine));
}

TEST(SetParameter, AMultipleScalesValueErrorAndCovariance) {
  Machine machine = small();
  machine.covariance[{"links.core.latency", "links.core.send_overhead"}] = 3e-16;
  machine.covariance[{"links.core.latency", "links.core.latency"}] = 1e-16;
  ASSERT_TRUE(set_parameter(machine, "L*2"));
  const Parameter& latency = machine.links["core"].latency;
  EXPECT_DOUBLE_EQ(latency.value, 2e-6);
  EXPECT_DOUBLE_EQ(latency.standard_error, 2e-8);
  EXPECT_EQ(latency.origin, Origin::assumed);
  EXPECT_DOUBLE_EQ((machine.covariance[{"links.core.latency", "links.core.send_overhead"}]), 6e-16);
  EXPECT_DOUBLE_EQ((machine.covariance[{"links.core.latency", "links.core.latency"}]), 4e-16);
  ASSERT_TRUE(set_parameter(machine, "links.core.gap_per_byte / 4"));
  EXPECT_DOUBLE_EQ(machine.links["core"].gap_per_byte.value, 0.25e-9);
  ASSERT_TRUE(set_parameter(machine, "nodes*8"));
  EXPECT_EQ(machine.nodes, 8);
  EXPECT_EQ(assigned_name("L*2"), "L");
  EXPECT_EQ(assigned_name("links.core.gap_per_byte=1ns/B"), "links.core.gap_per_byte");
}

TEST(SetParameter, NumbersOfASystemAreSetByUnitAndByLetter) {
  Machine machine = small();
  machine.system = std::make_shared<const System>(test::hypercube_with_host(8));
  const Machine before = machine;
  ASSERT_TRUE(set_parameter(machine, "system.node.communication.send_overhead=50us"));
  ASSERT_TRUE(set_parameter(machine, "system.ipsc.communication.ethernet.latency*3"));
  ASSERT_TRUE(set_parameter(machine, "system.ipsc.communication.service-cube.gap_per_byte=1ns/B"));
  ASSERT_TRUE(set_parameter(machine, "system.node.memory.memory.capacity=16MB"));
  ASSERT_TRUE(set_parameter(machine, "system.disk.input_output.bandwidth*2"));
  ASSERT_TRUE(set_parameter(machine, "L*2"));
  const auto unit = [](const Machine& of, std::string_view name) -> const Unit& {
    return *std::ranges::find(of.system->units, name, &Unit::name);
  };
  EXPECT_DOUBLE_EQ(unit(machine, "node").communication.link.send_overhead.value, 50e-6);
  EXPECT_DOUBLE_EQ(unit(machine, "node").memory.levels[0].capacity.value, 16e6);
  EXPECT_DOUBLE_EQ(unit(machine, "disk").input_output.bandwidth.value, 2e6);
  EXPECT_DOUBLE_EQ(unit(machine, "cube").communication.link.latency.value, 2e-5);
  EXPECT_DOUBLE_EQ(unit(machine, "service").communication.link.latency.value, 4e-4);
  EXPECT_DOUBLE_EQ(unit(machine, "ipsc").communication.connections[0].link.latency.value, 6e-3);
  EXPECT_DOUBLE_EQ(unit(machine, "ipsc").communication.connections[1].link.gap_per_byte.value, 1e-9);
  EXPECT_DOUBLE_EQ(machine.links["core"].latency.value, 2e-6);
  // an interface without latency does not get one
  EXPECT_EQ(unit(machine, "node").communication.link.latency.origin, Origin::unknown);
  EXPECT_DOUBLE_EQ(unit(before, "cube").communication.link.latency.value, 1e-5);  // copies keep their values
  EXPECT_EQ(set_parameter(machine, "system.nodes.communication.send_overhead=50us").error().hint,
            "did you mean system.node.communication.send_overhead?");

  const auto changed = changes(before, machine);
  const auto of = [&](std::string_view name) { return std::ranges::find(changed, name, &Difference::name); };
  ASSERT_NE(of("system.cube.communication.latency"), changed.end());
  EXPECT_DOUBLE_EQ(*of("system.cube.communication.latency")->a, 1e-5);
  EXPECT_DOUBLE_EQ(*of("system.cube.communication.latency")->b, 2e-5);
  EXPECT_EQ(of("system.host.processing.speed"), changed.end());
}

TEST(SetParameter, WhatIsNotKnownOrNoNumberIsNotMultiplied) {
  Machine machine = small();
  EXPECT_EQ(to_string(set_parameter(machine, "core_speed*2").error()),
            "error: core_speed of small is not known, so that it cannot be multiplied\n  give its value: "
            "core_speed=VALUE");
  EXPECT_EQ(set_parameter(machine, "o*2").error().what,
            "o of small is not known, so that it cannot be multiplied");
  EXPECT_EQ(set_parameter(machine, "memory_per_node*2").error().what,
            "memory_per_node of small is not known, so that it cannot be multiplied");
  EXPECT_EQ(set_parameter(machine, "L*two").error().what, "\"L*two\": two is not a factor of 0 or more");
  EXPECT_EQ(set_parameter(machine, "L/0").error().what, "\"L/0\": 0 is not a factor of more than 0");
  EXPECT_EQ(set_parameter(machine, "links.core.latncy*2").error().hint, "did you mean links.core.latency?");
  EXPECT_FALSE(set_parameter(machine, "nodes*1.5"));
}

TEST(SetParameter, WhatIsChangedIsNoLongerOfItsPublication) {
  Machine machine = small();
  machine.sources["links.core"] = "a table";
  ASSERT_TRUE(set_parameter(machine, "L*2"));
  EXPECT_EQ(source_of(machine, "links.core.latency"), "changed by L*2");
  EXPECT_EQ(source_of(machine, "links.core.gap_per_byte"), "a table");
}

TEST(SetParameter, TheNameIsThatOfTheFile) {
  Machine machine = small();
  EXPECT_EQ(to_string(set_parameter(machine, "name=large").error()),
            "error: the name of a machine is that of its file\n  write it to large.machine.toml");
  EXPECT_EQ(machine.name, "small");
}

TEST(SetParameter, SaysWhatIsWrong) {
  Machine machine = small();
  EXPECT_EQ(to_string(set_parameter(machine, "links.core.latncy=2us").error()),
            "error: \"links.core.latncy\" is not a parameter of small\n  did you mean links.core.latency?");
  EXPECT_EQ(set_parameter(machine, "links.core.latency=2").error().hint, "did you mean \"2us\"?");
  EXPECT_EQ(set_parameter(machine, "bandwith*2").error().hint, "did you mean bandwidth?");
  EXPECT_EQ(set_parameter(machine, "bandwidth*2").error().hint, "G/2 doubles the bandwidth of all links");
  EXPECT_FALSE(set_parameter(machine, "links.core.latency=-2us"));
  EXPECT_FALSE(set_parameter(machine, "nodes=0"));
  EXPECT_FALSE(set_parameter(machine, "latency"));
}

TEST(Diff, SaysWhichDifferencesAreWithinTheIntervals) {
  Machine a = small(), b = small();
  b.links["core"].latency.value = 1.02e-6;    // differs by 20 ns: 1.4 standard errors of the difference
  b.links["core"].gap_per_byte.value = 2e-9;  // exact on both sides
  b.links["core"].gap = {3e-7, 0, 9, Origin::measured};
  b.nodes = 2;
  const auto differences = diff(a, b);
  const auto find = [&](std::string_view name) {
    return *std::find_if(differences.begin(), differences.end(),
                         [&](const auto& d) { return d.name == name; });
  };
  EXPECT_TRUE(find("links.core.latency").within_intervals);
  EXPECT_FALSE(find("links.core.gap_per_byte").within_intervals);
  EXPECT_FALSE(find("nodes").within_intervals);
  EXPECT_FALSE(find("links.core.gap").a.has_value());
  EXPECT_EQ(find("links.core.gap").b, 3e-7);
  b.links["core"].latency.value = 1.05e-6;  // 3.5 standard errors
  EXPECT_FALSE(diff(a, b)[6].within_intervals);
  EXPECT_EQ(diff(a, b)[6].name, "links.core.latency");
}

/// Two calibrations of a broadcast whose fits have breaks at different sizes.
TEST(Compare, TablesMeasuredForEachAreComparedByThePointsThatBothHave) {
  Machine a = small(), b = small();
  const auto table = [](std::vector<CostPoint> points, double from) {
    PatternCost out;
    out.name = "broadcast", out.points = std::move(points);
    out.pieces.resize(2);
    out.pieces[0].startup = {1e-6, 0, 3, Origin::measured}, out.pieces[1].from_bytes = from,
    out.pieces[1].startup = {2e-6, 0, 3, Origin::measured};
    return out;
  };
  a.patterns = {
      table({{2, 8, 1e-6, 2e-8, 9}, {2, 32, 2e-6, 2e-8, 9}, {4, 8, 3e-6, 2e-8, 9}, {2, 64, 5e-6, 0, 9}}, 32)};
  b.patterns = {table(
      {{2, 8, 1.05e-6, 2e-8, 9}, {2, 32, 2.2e-6, 2e-8, 9}, {4, 8, 3e-6, 2e-8, 9}, {2, 128, 5e-6, 0, 9}}, 64)};
  const Comparison found = compare(a, b);
  ASSERT_EQ(found.tables.size(), 1u);
  EXPECT_EQ(found.tables[0].points, 3);
  EXPECT_EQ(found.tables[0].agreeing, 2);  // 50 ns are 1.8 standard errors of the difference, 200 ns 7.1
  EXPECT_DOUBLE_EQ(found.tables[0].ratio, 1.05);
  const auto of_table = [](const Difference& each) { return each.name.starts_with("patterns."); };
  EXPECT_TRUE(std::none_of(found.parameters.begin(), found.parameters.end(), of_table));
}

TEST(Compare, AChangedCoefficientOfOneMeasurementIsSeen) {
  Machine a = small();
  PatternCost table;
  table.name = "broadcast", table.points = {{2, 8, 1e-6, 2e-8, 9}}, table.pieces.resize(1),
  table.pieces[0].startup = {1e-6, 0, 3, Origin::measured};
  a.patterns = {table};
  Machine b = a;
  b.patterns[0].pieces[0].startup.value = 2e-6;
  const Comparison found = compare(a, b);
  EXPECT_TRUE(found.tables.empty());
  EXPECT_TRUE(std::any_of(found.parameters.begin(), found.parameters.end(), [](const Difference& each) {
    return each.name == "patterns.broadcast.0.startup" && !each.within_intervals;
  }));
}

TEST(Changes, AreWhatIsNotTheSameOnBothSides) {
  Machine after = small();
  EXPECT_TRUE(changes(small(), after).empty());
  ASSERT_TRUE(set_parameter(after, "L=2us"));
  ASSERT_TRUE(set_parameter(after, "page=8KiB"));
  const auto changed = changes(small(), after);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].name, "page");
  EXPECT_EQ(changed[1].name, "links.core.latency");
  EXPECT_EQ(changed[1].a, 1e-6);
  EXPECT_EQ(changed[1].b, 2e-6);
}

TEST(Diff, AMachineDoesNotDifferFromItself) {
  for (const Difference& difference : diff(small(), small()))
    EXPECT_TRUE(difference.within_intervals) << difference.name;
}

TEST(ComputeRatio, IsThatOfTheCoreSpeeds) {
  Machine fast = small(), slow = small();
  fast.core_speed.value = 3e9, slow.core_speed.value = 1.5e8;
  slow.name = "slow";
  EXPECT_EQ(*compute_ratio(fast, slow), 20);
  EXPECT_EQ(*compute_ratio(slow, fast), 0.05);
  EXPECT_EQ(*compute_ratio(slow, ideal_machine()), 1);
  slow.core_speed = {};
  const auto unknown = compute_ratio(fast, slow);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "the core speed of slow is not known");
}

TEST(HasSameCore, OfOneMeasurement) {
  Machine here = small(), cluster = small();
  cluster.name = "cluster";
  here.core_speed.value = cluster.core_speed.value = 3e9;
  EXPECT_FALSE(has_same_core(here, cluster)) << "without an error: typed, perhaps for two machines";
  here.core_speed.standard_error = cluster.core_speed.standard_error = 1e8;
  EXPECT_TRUE(has_same_core(here, cluster));
  cluster.core_speed.value = 3.1e9;
  EXPECT_FALSE(has_same_core(here, cluster));
}

}  // namespace
}  // namespace parcast::machine
