// SPDX-License-Identifier: Apache-2.0
#include "machine/mapping.h"

#include <gtest/gtest.h>

#include "machine/test_systems.h"

namespace parcast::machine {
namespace {

using test::cluster;
using test::hypercube_with_host;
using Numbers = std::vector<std::int64_t>;

MapRule rule(std::string_view text, std::optional<std::int32_t> ranks_per_node = std::nullopt) {
  MapRule out = *map_rule_from(text);
  out.ranks_per_node = ranks_per_node;
  return out;
}

Numbers mapped(const System& system, std::int32_t ranks, const MapRule& how) {
  const auto mapping = map_ranks(system, ranks, how);
  EXPECT_TRUE(mapping) << mapping.error().what;
  return mapping ? mapping->processor_of : Numbers();
}

/// Four nodes of three processors joined by a switch, preceded by a host.
System small_cluster() {
  System system = hypercube_with_host(4);
  Unit& node = system.units.back();
  node.processing.kind = node.memory.kind = Decomposition::compound;
  Unit core;
  core.name = "core", core.parent = "node", core.count = 3;
  core.processing = {Decomposition::simple, test::assumed(1e6), {}};
  core.memory = node.memory;
  core.memory = {Decomposition::simple, {MemoryLevel{.name = "cache", .capacity = test::assumed(8e3)}}};
  node.memory.levels.clear();
  system.units.push_back(core);
  return system;
}

TEST(MapRules, read_back_as_they_are_written) {
  for (const char* text : {"block", "cyclic", "host+block", "host+cyclic", "list:0,2,1,3"})
    EXPECT_EQ(to_string(*map_rule_from(text)), text);
}

TEST(MapRules, mistyped_ones_are_guessed) {
  EXPECT_EQ(map_rule_from("ciclic").error().hint, "did you mean cyclic?");
  EXPECT_EQ(map_rule_from("host+bloc").error().hint, "did you mean host+block?");
  EXPECT_EQ(map_rule_from("elsewhere").error().hint,
            "known are block, cyclic, host+block, host+cyclic, list:0,1,...");
  EXPECT_FALSE(map_rule_from("list:"));
  EXPECT_FALSE(map_rule_from("list:0,-1"));
  EXPECT_FALSE(map_rule_from("list:0,x"));
}

TEST(Mappings, fill_nodes_by_block_and_deal_to_them_by_cyclic) {
  // processor 0 is the host's, those of node k are 1 + 3 k and the next two
  const System system = small_cluster();
  EXPECT_EQ(mapped(system, 13, rule("block")), (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(mapped(system, 6, rule("cyclic")), (Numbers{0, 1, 4, 7, 10, 2}));
  EXPECT_EQ(mapped(system, 6, rule("host+block")), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(mapped(system, 6, rule("host+cyclic")), (Numbers{0, 1, 4, 7, 10, 2}));
  EXPECT_EQ(mapped(system, 3, rule("list:5,0,12")), (Numbers{5, 0, 12}));
}

TEST(Mappings, keep_to_the_limit_of_a_node) {
  const System system = small_cluster();
  EXPECT_EQ(mapped(system, 6, rule("host+block", 2)), (Numbers{0, 1, 2, 4, 5, 7}));
  EXPECT_EQ(mapped(system, 6, rule("host+cyclic", 2)), (Numbers{0, 1, 4, 7, 2, 5}))
      << "three nodes hold five ranks";
  const auto refused = map_ranks(system, 10, rule("host+block", 2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "10 ranks cannot be mapped: the system has 9 processors with 2 on a node");
}

TEST(Mappings, of_more_ranks_than_processors_are_refused_where_the_system_is_written_by_hand) {
  System system = hypercube_with_host(8);
  system.name = "ipsc860";
  EXPECT_EQ(mapped(system, 9, rule("host+block")).size(), 9u);
  const auto refused = map_ranks(system, 10, rule("host+block"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "10 ranks cannot be mapped: ipsc860 has 9 processors");
}

TEST(Mappings, of_a_derived_system_are_those_of_predictions) {
  const System system = *system_of(cluster());
  EXPECT_EQ(mapped(system, 10, rule("block")), (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(mapped(system, 6, rule("block", 4)), (Numbers{0, 1, 2, 3, 8, 9}));
  EXPECT_EQ(mapped(system, 6, rule("cyclic", 4)), (Numbers{0, 8, 1, 9, 2, 10}));
  EXPECT_EQ(mapped(system, 4, rule("cyclic")), (Numbers{0, 8, 16, 24}));
  MapRule threads = rule("block");
  threads.threads = 4;
  EXPECT_EQ(mapped(system, 4, threads), (Numbers{0, 1, 8, 9}));
}

TEST(Mappings, of_a_derived_system_take_cores_and_nodes_to_be_there) {
  const System system = *system_of(cluster());
  const auto many = map_ranks(system, 200, rule("block"));
  ASSERT_TRUE(many);
  EXPECT_EQ(many->system.units[1].count, 25);
  EXPECT_EQ(many->assumptions, std::vector<std::string>{"200 processes need 25 nodes, cluster has 16"});
  const auto crowded = map_ranks(system, 12, rule("block", 12));
  ASSERT_TRUE(crowded);
  EXPECT_EQ(crowded->system.units[3].count, 6);
  EXPECT_EQ(crowded->processor_of.back(), 11);
  EXPECT_EQ(crowded->assumptions,
            std::vector<std::string>{"12 processes on a node of 8 cores are taken to have a core each"});
}

TEST(Mappings, of_cores_that_sockets_do_not_share_evenly_fill_the_first) {
  Machine machine = cluster();
  machine.cores_per_node = 5;
  EXPECT_EQ(mapped(*system_of(machine), 7, rule("block")), (Numbers{0, 1, 2, 3, 4, 6, 7}))
      << "three cores and two, then the next node";
}

TEST(Mappings, that_cannot_be_are_refused_by_name) {
  const System system = hypercube_with_host(8), derived = *system_of(cluster());
  EXPECT_EQ(map_ranks(system, 0, rule("block")).error().what, "0 ranks cannot be mapped");
  EXPECT_EQ(map_ranks(system, 2, rule("block", 0)).error().what, "a node cannot hold 0 processes");
  EXPECT_EQ(map_ranks(system, 3, rule("list:0,1")).error().what,
            "3 ranks cannot be mapped by a list of 2 processors");
  EXPECT_EQ(map_ranks(system, 2, rule("list:0,9")).error().what,
            "the system has no processor 9: there are 9");
  EXPECT_EQ(map_ranks(system, 3, rule("list:0,3,3")).error().what, "the list names processor 3 twice");
  EXPECT_EQ(map_ranks(derived, 3, rule("host+block")).error().what, "cluster has no unit called host");
  System without = hypercube_with_host(8);
  without.units.back().name = "element", without.units[4].communication.gateway = "element 0";
  EXPECT_EQ(map_ranks(without, 3, rule("block", 2)).error().what,
            "the system has no unit called node, of which --ranks-per-node could be the limit");
  EXPECT_FALSE(map_ranks(hypercube_with_host(7), 3, rule("block")));
}

}  // namespace
}  // namespace parcast::machine
