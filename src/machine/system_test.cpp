// SPDX-License-Identifier: Apache-2.0
// Rules of systems, violated one at a time, and systems derived from machines.
#include "machine/system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "machine/test_systems.h"

namespace parcast::machine {
namespace {

using test::assumed;
using test::hypercube_with_host;

Unit& unit(System& system, std::string_view name) {
  for (Unit& each : system.units)
    if (each.name == name) return each;
  return system.units.front();
}

/// Returns "rule unit" of the first rule that the changed system violates.
std::string broken(const std::function<void(System&)>& change) {
  System system = hypercube_with_host(8);
  change(system);
  const auto found = validate(system);
  if (found.empty()) return "";
  EXPECT_FALSE(found.front().what.empty());
  EXPECT_FALSE(found.front().hint.empty()) << found.front().what;
  return found.front().rule + " " + found.front().unit;
}

TEST(SystemRules, a_host_with_a_service_module_and_a_hypercube_keeps_all) {
  for (const Violation& violation : validate(hypercube_with_host(8)))
    ADD_FAILURE() << violation.rule << ": " << violation.unit << " " << violation.what;
}

TEST(SystemRules, there_is_exactly_one_root) {
  EXPECT_EQ(broken([](System& s) { unit(s, "host").parent = ""; }), "one-root host");
  EXPECT_EQ(broken([](System& s) { s.units.clear(); }), "one-root ");
  EXPECT_EQ(broken([](System& s) { s.units.front().parent = "host"; }), "one-root ");
}

TEST(SystemRules, names_are_unique_words) {
  EXPECT_EQ(broken([](System& s) { unit(s, "service").name = "host"; }), "unique-names host");
  EXPECT_EQ(broken([](System& s) { unit(s, "service").name = "node 0"; }), "unique-names node 0");
  EXPECT_EQ(broken([](System& s) { unit(s, "service").name = ""; }), "unique-names ");
}

TEST(SystemRules, parents_exist) {
  EXPECT_EQ(broken([](System& s) { unit(s, "node").parent = "cub"; }), "known-parents node");
}

TEST(SystemRules, no_unit_is_a_part_of_itself) {
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").parent = "node"; }), "no-circle cube");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").parent = "cube"; }), "no-circle cube");
}

TEST(SystemRules, counts_are_at_least_one_and_can_be_numbered) {
  EXPECT_EQ(broken([](System& s) { unit(s, "node").count = 0; }), "counts node");
  EXPECT_EQ(broken([](System& s) { s.units.front().count = 2; }), "counts ipsc");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").count = std::int64_t{1} << 50; }), "counts ipsc");
}

TEST(SystemRules, some_component_of_a_unit_is_not_void) {
  EXPECT_EQ(broken([](System& s) { unit(s, "service").communication = {}; }), "not-all-void service");
}

TEST(SystemRules, a_compound_component_is_decomposed_in_some_part) {
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").input_output.kind = Decomposition::compound; }),
            "compound-is-decomposed cube");
}

TEST(SystemRules, a_simple_component_is_the_lowest) {
  EXPECT_EQ(broken([](System& s) {
              unit(s, "cube").processing = {Decomposition::simple, assumed(1e6), {}};
            }),
            "simple-is-lowest cube");
}

TEST(SystemRules, a_unit_with_parts_has_a_compound_component) {
  EXPECT_EQ(broken([](System& s) { unit(s, "host").input_output = s.units.front().input_output = {}; }),
            "children-of-compound host");
}

TEST(SystemRules, leaves_are_simple) {
  EXPECT_EQ(broken([](System& s) { unit(s, "node").memory.kind = Decomposition::compound; }),
            "simple-leaves node");
}

TEST(SystemRules, simple_components_export_what_they_need) {
  EXPECT_EQ(broken([](System& s) { unit(s, "node").processing.speed = {}; }), "numbers node");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").processing.speed.value = -1; }), "numbers node");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").processing.shared_speed.value = NAN; }), "numbers node");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").memory.levels.clear(); }), "numbers node");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").memory.levels.front().capacity = {}; }), "numbers node");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").communication.link = {}; }), "numbers node");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").communication.link.send_overhead.value = INFINITY; }),
            "numbers node");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.link = {}; }), "numbers cube");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.link.latency.standard_error = -1; }),
            "numbers cube");
  EXPECT_EQ(broken([](System& s) { unit(s, "disk").input_output.bandwidth = {}; }), "numbers disk");
  EXPECT_EQ(broken([](System& s) { s.units.front().communication.connections.front().link = {}; }),
            "numbers ipsc");
}

TEST(SystemRules, connections_join_two_parts) {
  EXPECT_EQ(broken([](System& s) { s.units.front().communication.connections.front().to = "servce"; }),
            "connections ipsc");
  EXPECT_EQ(broken([](System& s) { s.units.front().communication.connections.front().to = "node"; }),
            "connections ipsc");
  EXPECT_EQ(broken([](System& s) { s.units.front().communication.connections.front().to = "host"; }),
            "connections ipsc");
}

TEST(SystemRules, a_topology_fits_what_it_joins) {
  EXPECT_EQ(broken([](System& s) { unit(s, "node").count = 6; }), "topology-fits cube");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.topology = Topology::mesh; }),
            "topology-fits cube");
  EXPECT_EQ(broken([](System& s) {
              unit(s, "cube").communication.topology = Topology::torus,
                      unit(s, "cube").communication.extents = {3, 3};
            }),
            "topology-fits cube");
  EXPECT_EQ(broken([](System& s) {
              unit(s, "cube").communication.topology = Topology::torus,
                      unit(s, "cube").communication.extents = {4, 2};
            }),
            "");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.extents = {4, 2}; }), "topology-fits cube");
  EXPECT_EQ(broken([](System& s) {
              s.units.front().communication.topology = Topology::bus,
              s.units.front().communication.link = unit(s, "cube").communication.link;
            }),
            "topology-fits ipsc");
  EXPECT_EQ(broken([](System& s) { unit(s, "node").communication.topology = Topology::bus; }),
            "topology-fits node");
  EXPECT_EQ(broken([](System& s) {
              unit(s, "cube").communication.topology = Topology::ring,
                      unit(s, "node").count = std::int64_t{1} << 31;
            }),
            "topology-fits cube");
}

TEST(SystemRules, a_gateway_is_an_instance_of_a_part) {
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.gateway = "node 8"; }), "gateway cube");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.gateway = "host"; }), "gateway cube");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.gateway = "node 7"; }), "");
}

TEST(SystemRules, every_pair_of_processors_has_a_route) {
  EXPECT_EQ(broken([](System& s) { s.units.front().communication.connections.pop_back(); }), "routes ipsc");
  EXPECT_EQ(broken([](System& s) { unit(s, "cube").communication.topology = Topology::none; }),
            "routes cube");
  EXPECT_EQ(broken([](System& s) {
              for (Unit& each : s.units) each.processing = {};
            }),
            "routes ");
}

TEST(SystemRules, all_that_are_broken_are_named) {
  System system = hypercube_with_host(6);
  unit(system, "host").processing.speed = {};
  const auto found = validate(system);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rule + " " + found[0].unit, "numbers host");
  EXPECT_EQ(found[1].rule + " " + found[1].unit, "topology-fits cube");
}

TEST(SystemOfAMachine, has_network_nodes_sockets_cores_and_memories) {
  const Machine machine = test::cluster();
  const auto system = system_of(machine);
  ASSERT_TRUE(system);
  EXPECT_TRUE(validate(*system).empty());
  std::string tree;
  for (const Unit& each : system->units)
    tree += each.parent + "/" + each.name + "*" + std::to_string(each.count) + " ";
  EXPECT_EQ(tree, "/network*1 network/node*16 node/socket*2 socket/core*4 socket/L3*2 node/memory*2 ");
  EXPECT_EQ(system->units[0].communication.link.latency.value, 2e-6);
  EXPECT_EQ(system->units[1].communication.link.latency.value, 0.5e-6)
      << "the link of the socket is not there: that of the node is the nearest";
  EXPECT_EQ(system->units[2].communication.link.latency.value, 0.3e-6);
  EXPECT_EQ(system->units[3].processing.speed.value, 3e9);
  EXPECT_EQ(system->units[3].memory.levels.front().name, "L1");
  EXPECT_EQ(system->units[4].memory.levels.front().capacity.value, 4e6);
  EXPECT_EQ(system->units[5].memory.levels.front().capacity.value, 32e9) << "half of the node's";
  EXPECT_TRUE(system->assumptions.empty());
}

TEST(SystemOfAMachine, is_valid_and_says_so_where_links_stand_in_or_are_free) {
  Machine machine = test::cluster();
  machine.links.erase("node"), machine.links.erase("core");
  const auto substitute = system_of(machine);
  ASSERT_TRUE(substitute);
  EXPECT_TRUE(validate(*substitute).empty());
  EXPECT_EQ(substitute->assumptions.size(), 1u);
  machine.links.clear();
  const auto free = system_of(machine);
  ASSERT_TRUE(free);
  EXPECT_TRUE(validate(*free).empty());
  EXPECT_TRUE(validate(*system_of(ideal_machine())).empty());
  EXPECT_TRUE(validate(*system_of(extrap_machine())).empty());
}

TEST(SystemOfAMachine, is_its_own_where_it_has_one) {
  Machine machine = test::cluster();
  machine.system = std::make_shared<const System>(hypercube_with_host(4));
  const auto system = system_of(machine);
  ASSERT_TRUE(system);
  EXPECT_EQ(system->units.front().name, "ipsc");
  EXPECT_EQ(system->name, "cluster");
  machine.system = std::make_shared<const System>(hypercube_with_host(5));
  const auto refused = system_of(machine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the unit cube joins 5 instances as a hypercube");
}

}  // namespace
}  // namespace parcast::machine
