// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/network.h"

#include <gmock/gmock.h>

namespace parcast::simulate::network {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

machine::Parameter assumed(double value) {
  return {value, 0, 0, Origin::assumed};
}

machine::Machine ring_of_four() {
  machine::Machine machine;
  machine.name = "ring";
  machine.nodes = 4;
  machine.network.emplace();
  machine.network->topology = "torus";
  machine.network->dimensions = {4};
  machine.network->bandwidth = assumed(2e9);
  machine.network->hop_latency = assumed(50e-9);
  return machine;
}

std::vector<LinkId> way(const Network& network, std::int32_t from, std::int32_t to) {
  std::vector<LinkId> links;
  network.way(from, to, links);
  return links;
}

TEST(Network, nodes_have_the_bandwidth_of_links_where_they_have_none_of_their_own) {
  machine::Machine machine = ring_of_four();
  EXPECT_EQ(Network::of(machine, 4)->capacities(),
            std::vector<Bandwidth>(16, 2'000'000'000 * kPerBytePerSecond));
  machine.network->injection_bandwidth = assumed(1.5e9);
  EXPECT_EQ(Network::of(machine, 4)->capacities()[7], 1'500'000'000 * kPerBytePerSecond);
  EXPECT_EQ(Network::of(machine, 4)->capacities()[8], 2'000'000'000 * kPerBytePerSecond);
}

TEST(Network, is_further_by_the_hops_between_switches) {
  const auto network = Network::of(ring_of_four(), 4);
  EXPECT_EQ(network->further(0, 0), 0);
  EXPECT_EQ(network->further(0, 1), 50'000);
  EXPECT_EQ(network->further(0, 2), 100'000);
  EXPECT_EQ(network->further(0, 3), 50'000);
}

TEST(Network, messages_inside_a_node_share_its_memory_only_where_its_bandwidth_is_given) {
  machine::Machine machine = ring_of_four();
  EXPECT_TRUE(way(*Network::of(machine, 4), 2, 2).empty());
  machine.network->memory_bandwidth = assumed(80e9);
  const auto network = Network::of(machine, 3);
  ASSERT_EQ(network->capacities().size(), 16u + 3u);
  EXPECT_THAT(way(*network, 2, 2), ElementsAre(18));
  EXPECT_EQ(network->capacities()[18], 80'000'000'000 * kPerBytePerSecond);
  EXPECT_EQ(way(*network, 0, 1).size(), 3u);
}

TEST(Network, of_memory_alone_leaves_messages_between_nodes_alone) {
  machine::Machine machine = ring_of_four();
  machine.network.emplace();
  machine.network->memory_bandwidth = assumed(80e9);
  const auto network = Network::of(machine, 2);
  EXPECT_TRUE(way(*network, 0, 1).empty());
  EXPECT_THAT(way(*network, 1, 1), ElementsAre(1));
  EXPECT_EQ(network->further(0, 1), 0);
}

TEST(Network, links_are_named_by_what_they_join) {
  machine::Machine machine = ring_of_four();
  machine.network->memory_bandwidth = assumed(80e9);
  const auto ring = Network::of(machine, 4);
  EXPECT_EQ(ring->name_of(0), "node 0 to switch (0)");
  EXPECT_EQ(ring->name_of(way(*ring, 3, 0)[1]), "switch (3) to switch (0)");
  EXPECT_EQ(ring->name_of(17), "memory of node 1");
  machine.network->topology = "fat_tree";
  machine.network->dimensions.clear();
  machine.network->down = {2, 2, 2}, machine.network->up = {1, 2, 2};
  const auto tree = Network::of(machine, 4);
  const auto up = way(*tree, 0, 7);
  EXPECT_EQ(tree->name_of(up[0]), "node 0 to switch 0 of level 1");
  EXPECT_EQ(tree->name_of(up[1]), "switch 0 of level 1 to switch 1 of level 2");
  EXPECT_EQ(tree->name_of(up[2]), "switch 1 of level 2 to switch 3 of level 3");
}

TEST(Network, refuses_a_run_on_more_nodes_than_it_joins) {
  const auto network = Network::of(ring_of_four(), 5);
  ASSERT_FALSE(network);
  EXPECT_THAT(to_string(network.error()), HasSubstr("the run takes 5 nodes, but the network joins 4"));
}

}  // namespace
}  // namespace parcast::simulate::network
