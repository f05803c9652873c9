// SPDX-License-Identifier: Apache-2.0
#include "predict/flat_system.h"

#include <gtest/gtest.h>

#include "machine/test_systems.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

/// Rank 0 is on the host, rank k on node k - 1 of a cube of eight.
machine::Machine host_and_cube() {
  machine::Machine out;
  out.name = "ipsc";
  out.system = std::make_shared<machine::System>(machine::test::hypercube_with_host(8));
  return out;
}

FlatSystem flat(std::int32_t ranks) {
  return flattened(host_and_cube(), by_hand::ask(ranks));
}
double latency(std::int32_t ranks, const char* link) {
  return flat(ranks).machine.links.at(link).latency.value;
}

// Messages from the host enter the cube at node 0: node 7 is three hops of 10 us further, node 1 one hop.
TEST(FlatSystem, TakesTheLongestWayBetweenTheHostAndTheCube) {
  EXPECT_NEAR(latency(3, "network") - latency(2, "network"), 1e-5, 1e-12);
  EXPECT_NEAR(latency(9, "network") - latency(2, "network"), 3e-5, 1e-12);
  EXPECT_GT(latency(2, "network"), 1e-3);  // the host's own connection alone
}

// Nodes 0 and 1 have a distance of one hop of 10 us, nodes 0 and 7 three hops.
TEST(FlatSystem, TakesTheLongestWayWithinTheCube) {
  EXPECT_NEAR(latency(3, "node"), 1e-5, 1e-12);
  EXPECT_NEAR(latency(9, "node"), 3e-5, 1e-12);
}

TEST(FlatSystem, PutsTheRanksOfOneUnitOnANode) {
  const FlatSystem found = flat(9);
  EXPECT_FALSE(found.machine.system);
  EXPECT_EQ(found.machine.cores_per_node, 8);
  EXPECT_EQ(found.question.ranks_per_node, 8);
  EXPECT_EQ(found.node_of, (std::vector<std::int32_t>{0, 1, 1, 1, 1, 1, 1, 1, 1}));
}

// The host and one node have no near ranks; the ranks in one cube have only near ones.
TEST(FlatSystem, HasANodeForEachRankWhereNoneAreNearer) {
  EXPECT_EQ(flat(2).machine.cores_per_node, 1);
  EXPECT_TRUE(flat(2).node_of.empty());
  machine::Machine cube = host_and_cube();
  auto system = std::make_shared<machine::System>(*cube.system);
  std::erase_if(system->units, [](const machine::Unit& unit) {
    return unit.name == "host" || unit.name == "disk" || unit.name == "service";
  });
  system->units[0].communication.connections.clear();
  system->units[0].input_output.kind = machine::Decomposition::none;
  cube.system = system;
  const FlatSystem found = flattened(cube, by_hand::ask(8));
  EXPECT_EQ(found.machine.links.size(), 1u);
  EXPECT_NEAR(found.machine.links.at("network").latency.value, 3e-5, 1e-12);
  EXPECT_EQ(found.machine.nodes, 8);
}

TEST(FlatSystem, IsTheMachineWhereNothingIsSentOrRanksHaveNoPlace) {
  EXPECT_TRUE(flat(1).machine.system);
  EXPECT_TRUE(flat(64).machine.system);
  EXPECT_FALSE(flattened(by_hand::simple_machine(1e-6, 0, 0), by_hand::ask(4)).machine.system);
}

}  // namespace
}  // namespace parcast::predict
