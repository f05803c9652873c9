// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/topology.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "machine/network.h"
#include "predict/simulate/network/flows.h"

namespace parcast::simulate::network {
namespace {

using testing::ElementsAre;

constexpr Bandwidths kWidths{10, 20, 30};

machine::Network torus(std::vector<std::int32_t> dimensions) {
  machine::Network out;
  out.topology = "torus";
  out.dimensions = std::move(dimensions);
  return out;
}

machine::Network fat_tree(std::vector<std::int32_t> down, std::vector<std::int32_t> up,
                          std::vector<std::int32_t> parallel = {}) {
  machine::Network out;
  out.topology = "fat_tree";
  out.down = std::move(down);
  out.up = std::move(up);
  out.parallel = std::move(parallel);
  return out;
}

machine::Network dragonfly(std::int32_t groups, std::int32_t routers, std::int32_t nodes,
                           std::int32_t ports) {
  machine::Network out;
  out.topology = "dragonfly";
  out.groups = groups;
  out.routers_per_group = routers;
  out.nodes_per_router = nodes;
  out.global_links_per_router = ports;
  return out;
}

machine::Network named(std::string topology) {
  machine::Network out;
  out.topology = std::move(topology);
  return out;
}

std::shared_ptr<const Topology> made(const machine::Network& network, std::int32_t nodes_of_machine = 6) {
  machine::Machine machine;
  machine.nodes = network.topology == "crossbar" || network.topology == "bus" ? nodes_of_machine : 1;
  machine.network = network;
  machine.network->bandwidth = {1e9, 0, 0, Origin::assumed};
  const auto checked = machine::check_network(machine);
  EXPECT_TRUE(checked) << to_string(checked.error());
  return make_topology(network, machine::network_nodes(machine), kWidths);
}

std::vector<LinkId> way(const Topology& topology, std::int32_t from, std::int32_t to) {
  std::vector<LinkId> links;
  topology.way(from, to, links);
  return links;
}

/// Returns the switches on the route, counted from 0.
std::vector<int> switches(const Topology& topology, std::int32_t from, std::int32_t to) {
  std::vector<int> out;
  for (const LinkId link : way(topology, from, to))
    if (const auto vertex = topology.links()[link].to; vertex >= static_cast<Vertex>(topology.nodes()))
      out.push_back(static_cast<int>(vertex) - topology.nodes());
  return out;
}

const std::vector<machine::Network>& networks() {
  static const std::vector<machine::Network> all{named("crossbar"),
                                                 named("bus"),
                                                 torus({5}),
                                                 torus({6}),
                                                 torus({4, 4}),
                                                 torus({2, 3, 4}),
                                                 torus({1, 2, 1}),
                                                 torus({3, 3, 3}),
                                                 fat_tree({4}, {1}),
                                                 fat_tree({4, 4}, {1, 4}),
                                                 fat_tree({4, 3, 2}, {1, 2, 3}),
                                                 fat_tree({2, 3, 2}, {2, 2, 3}, {2, 1, 2}),
                                                 fat_tree({3, 4}, {1, 2}, {1, 3}),
                                                 dragonfly(9, 4, 2, 2),
                                                 dragonfly(4, 4, 1, 2),
                                                 dragonfly(1, 5, 2, 1),
                                                 dragonfly(3, 1, 2, 2),
                                                 dragonfly(2, 3, 2, 1)};
  return all;
}

TEST(Topology, ways_lead_along_links_from_node_to_node_and_pass_none_twice) {
  for (const auto& network : networks()) {
    const auto topology = made(network);
    for (std::int32_t from = 0; from < topology->nodes(); ++from)
      for (std::int32_t to = 0; to < topology->nodes(); ++to) {
        if (from == to) continue;
        auto at = static_cast<Vertex>(from);
        std::set<Vertex> passed{at};
        for (const LinkId link : way(*topology, from, to)) {
          ASSERT_EQ(topology->links()[link].from, at) << network.topology;
          at = topology->links()[link].to;
          ASSERT_TRUE(passed.insert(at).second) << network.topology << " from " << from << " to " << to;
        }
        ASSERT_EQ(at, static_cast<Vertex>(to)) << network.topology;
      }
  }
}

TEST(Topology, every_link_has_one_that_leads_back_and_the_count_is_that_of_the_check) {
  for (const auto& network : networks()) {
    const auto topology = made(network);
    std::map<std::pair<Vertex, Vertex>, int> balance;
    for (const auto& link : topology->links()) {
      ++balance[{link.from, link.to}];
      --balance[{link.to, link.from}];
    }
    const auto* kind = machine::topology_kind(network.topology);
    EXPECT_GE(kind->links(network, topology->nodes()), static_cast<double>(topology->links().size()))
        << network.topology;
    if (network.topology == "bus") continue;  // only one direction through the bus
    for (const auto& [ends, sum] : balance)
      EXPECT_EQ(sum, 0) << network.topology << " " << ends.first << " " << ends.second;
  }
}

TEST(Topology, only_the_links_of_nodes_have_the_bandwidth_of_nodes) {
  for (const auto& network : networks()) {
    const auto topology = made(network);
    const auto nodes = static_cast<Vertex>(topology->nodes());
    for (const auto& link : topology->links())
      EXPECT_EQ(link.capacity == kWidths.injection, link.from < nodes || link.to < nodes) << network.topology;
  }
}

TEST(Topology, on_a_crossbar_and_a_bus_is_one_way) {
  EXPECT_THAT(switches(*made(named("crossbar")), 2, 5), ElementsAre(0));
  EXPECT_THAT(switches(*made(named("bus")), 2, 5), ElementsAre(0, 1));
}

// 4 x 4: node = 4 row + column.
TEST(Torus, goes_the_first_dimension_first_and_the_shorter_way) {
  const auto topology = made(torus({4, 4}));
  EXPECT_THAT(switches(*topology, 0, 5), ElementsAre(0, 4, 5));     // down a row, then along a column
  EXPECT_THAT(switches(*topology, 0, 15), ElementsAre(0, 12, 15));  // both round the ends
  // half the extent: up from an even coordinate
  EXPECT_THAT(switches(*topology, 0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(switches(*topology, 1, 3), ElementsAre(1, 0, 3));  // and down from an odd one
  // from row 1 to row 3 and from column 2 to column 0
  EXPECT_THAT(switches(*topology, 6, 12), ElementsAre(6, 2, 14, 15, 12));
}

TEST(Torus, ways_have_the_length_of_the_shortest) {
  const std::vector<std::int32_t> extents{3, 4, 2};
  const auto topology = made(torus(extents));
  for (std::int32_t a = 0; a < 24; ++a)
    for (std::int32_t b = 0; b < 24; ++b) {
      if (a == b) continue;
      std::int32_t distance = 0;
      for (const auto& [stride, extent] : {std::pair{8, 3}, {2, 4}, {1, 2}}) {
        const std::int32_t apart = std::abs(a / stride % extent - b / stride % extent);
        distance += std::min(apart, extent - apart);
      }
      EXPECT_EQ(way(*topology, a, b).size(), static_cast<std::size_t>(distance) + 2);
    }
}

/// Returns the number of routes over each link when every node sends to every other one.
std::vector<int> loads(const Topology& topology) {
  std::vector<int> out(topology.links().size());
  for (std::int32_t from = 0; from < topology.nodes(); ++from)
    for (std::int32_t to = 0; to < topology.nodes(); ++to)
      if (from != to)
        for (const LinkId link : way(topology, from, to)) ++out[link];
  return out;
}

// An odd ring of n: every link is on the routes of length 1 .. (n-1)/2 that pass it: (n^2 - 1) / 8.
TEST(Torus, all_to_all_loads_the_links_of_an_odd_ring_alike) {
  for (const std::int32_t n : {3, 5, 7, 9}) {
    const auto topology = made(torus({n}));
    const auto load = loads(*topology);
    for (std::size_t link = 2 * static_cast<std::size_t>(n); link < load.size(); ++link)
      EXPECT_EQ(load[link], (n * n - 1) / 8) << n;
  }
}

// An even ring: 1 + .. + (n/2 - 1) by the shorter routes, and n/4 on average for the n/2 links of n routes of
// half the length.
TEST(Torus, all_to_all_on_an_even_ring_uses_both_directions_half_way_round) {
  for (const std::int32_t n : {4, 8, 12}) {
    const auto topology = made(torus({n}));
    const auto load = loads(*topology);
    for (std::size_t link = 2 * static_cast<std::size_t>(n); link < load.size(); ++link)
      EXPECT_EQ(load[link], (n / 2 - 1) * (n / 2) / 2 + n / 4) << n;
  }
}

// m bytes from each node to each other one over links of B: the last ends when a link has carried all its
// flows, m (n^2 - 1) / 8 / B.
TEST(Torus, all_to_all_on_a_ring_takes_the_load_of_a_link_over_its_bandwidth) {
  constexpr std::int32_t n = 7;
  constexpr Bandwidth kGB = 1'000'000'000 * kPerBytePerSecond;
  const auto topology = make_topology(torus({n}), n, {kGB, 100 * kGB, kGB});
  std::vector<Bandwidth> capacities;
  for (const auto& link : topology->links()) capacities.push_back(link.capacity);
  Flows flows(capacities);
  for (std::int32_t from = 0; from < n; ++from)
    for (std::int32_t to = 0; to < n; ++to)
      if (from != to) flows.start(0, 6000, way(*topology, from, to), kUnbounded, 0);
  Time last = 0;
  for (flows.settle(); flows.next_end() != kNever; flows.settle()) flows.end(last = flows.next_end());
  EXPECT_NEAR(static_cast<double>(last), 6e6 * (n * n - 1) / 8, 100);  // rounding of at most 42 ends
}

// PGFT(2; 4, 4; 1, 2): nodes 0-3 at switch 0 and so on, with switches 4 and 5 on top.
TEST(FatTree, goes_up_by_the_destination_and_down) {
  const auto topology = made(fat_tree({4, 4}, {1, 2}));
  EXPECT_THAT(switches(*topology, 0, 3), ElementsAre(0));
  EXPECT_THAT(switches(*topology, 0, 4), ElementsAre(0, 4, 1));
  EXPECT_THAT(switches(*topology, 0, 5), ElementsAre(0, 5, 1));
  EXPECT_THAT(switches(*topology, 9, 5), ElementsAre(2, 5, 1));
  EXPECT_THAT(switches(*topology, 15, 2), ElementsAre(3, 4, 0));
}

// Three levels with 2 children and 2 parents each, except nodes, which have one parent: 8 nodes, switches
// 0-3, 4-7, 8-11. The subtree of level 2 with nodes 0-3 has tops 4, 5; that of 4-7 has 6, 7. To node 6 =
// 110b: at level 1 by digit 6 mod 2 = 0, at level 2 by floor(6 / 2) mod 2 = 1.
TEST(FatTree, of_three_levels_takes_a_digit_of_the_destination_at_each) {
  const auto topology = made(fat_tree({2, 2, 2}, {1, 2, 2}));
  EXPECT_THAT(switches(*topology, 0, 6), ElementsAre(0, 4, 10, 6, 3));
  EXPECT_THAT(switches(*topology, 0, 7), ElementsAre(0, 5, 11, 7, 3));
  EXPECT_THAT(switches(*topology, 3, 4), ElementsAre(1, 4, 8, 6, 2));
  EXPECT_THAT(switches(*topology, 2, 1), ElementsAre(1, 5, 0));
}

TEST(FatTree, parallel_links_are_taken_by_the_next_digit) {
  const auto topology = made(fat_tree({4, 2}, {1, 1}, {1, 4}));
  std::set<LinkId> up;
  for (const std::int32_t to : {4, 5, 6, 7}) up.insert(way(*topology, 0, to)[1]);
  EXPECT_EQ(up.size(), 4u);
  EXPECT_EQ(way(*topology, 0, 5)[1], way(*topology, 3, 5)[1]);
}

// Zahavi 2010: with equal numbers of links up and down, d-mod-k routes every shift of all nodes over separate
// links.
TEST(FatTree, with_full_bisection_no_shift_shares_a_link) {
  for (const auto& network :
       {fat_tree({4, 4}, {1, 4}), fat_tree({4, 4}, {1, 2}, {1, 2}), fat_tree({4, 2, 3}, {1, 4, 2})}) {
    const auto topology = made(network);
    for (std::int32_t shift = 1; shift < topology->nodes(); ++shift) {
      std::set<LinkId> used;
      for (std::int32_t from = 0; from < topology->nodes(); ++from)
        for (const LinkId link : way(*topology, from, (from + shift) % topology->nodes()))
          EXPECT_TRUE(used.insert(link).second) << "shift " << shift;
    }
  }
}

// Switches are numbered group by group. Ports of group 0: router 0 leads to groups 1, 2, router 1 to 3, 4,
// router 2 to 5, 6, router 3 to 7, 8. Nodes 2 r and 2 r + 1 are at router r.
TEST(Dragonfly, goes_by_the_one_link_between_two_groups) {
  const auto topology = made(dragonfly(9, 4, 2, 2));
  EXPECT_THAT(switches(*topology, 0, 1), ElementsAre(0));
  EXPECT_THAT(switches(*topology, 0, 6), ElementsAre(0, 3));
  // To group 1: from router 0; group 1 reaches group 0, 8 further on, by port 7, at its router 3.
  EXPECT_THAT(switches(*topology, 0, 14), ElementsAre(0, 7));
  EXPECT_THAT(switches(*topology, 0, 8), ElementsAre(0, 7, 4));
  // To group 5 by port 4 of router 2; back it is 4 further on: port 3, router 1 of group 5, which is switch
  // 21.
  EXPECT_THAT(switches(*topology, 0, 40), ElementsAre(0, 2, 21, 20));
  EXPECT_THAT(switches(*topology, 40, 0), ElementsAre(20, 21, 2, 0));
}

// 4 groups with 8 ports each: two links between any two groups, 2 ports unused; even destinations take the
// first link, odd ones the second.
TEST(Dragonfly, spreads_destinations_over_the_links_between_two_groups) {
  const auto topology = made(dragonfly(4, 4, 1, 2));
  EXPECT_EQ(std::count_if(topology->links().begin(), topology->links().end(),
                          [](const auto& link) { return link.capacity == kWidths.global; }),
            4 * 6);
  // port 0, router 0; back: 3 further on, port 2, router 1
  EXPECT_THAT(switches(*topology, 0, 4), ElementsAre(0, 5, 4));
  // port 3, router 1; back: port 5, router 2
  EXPECT_THAT(switches(*topology, 0, 5), ElementsAre(0, 1, 6, 5));
}

TEST(Dragonfly, passes_at_most_one_link_between_groups_and_one_in_each) {
  const auto topology = made(dragonfly(9, 4, 2, 2));
  for (std::int32_t from = 0; from < 72; ++from)
    for (std::int32_t to = 0; to < 72; ++to) {
      if (from == to) continue;
      int global = 0, local = 0;
      for (const LinkId link : way(*topology, from, to)) {
        global += topology->links()[link].capacity == kWidths.global;
        local += topology->links()[link].capacity == kWidths.link;
      }
      EXPECT_EQ(global, from / 8 == to / 8 ? 0 : 1);
      EXPECT_LE(local, from / 8 == to / 8 ? 1 : 2);
    }
}

// Counts the links from the lower half of the nodes to the upper: the capacity of a bisection.
TEST(Topology, bisection_is_the_textbooks) {
  const auto crossing = [](const Topology& topology, auto upper) {
    int count = 0;
    for (const auto& link : topology.links())
      if (link.from >= static_cast<Vertex>(topology.nodes()) &&
          link.to >= static_cast<Vertex>(topology.nodes()))
        count += !upper(static_cast<int>(link.from) - topology.nodes()) &&
                 upper(static_cast<int>(link.to) - topology.nodes());
    return count;
  };
  EXPECT_EQ(crossing(*made(torus({4, 4})), [](int at) { return at >= 8; }), 8);       // 2 * 4 links each way
  EXPECT_EQ(crossing(*made(torus({4, 4, 4})), [](int at) { return at >= 32; }), 32);  // 2 * 16
  // two switches' 4 links up
  EXPECT_EQ(crossing(*made(fat_tree({4, 4}, {1, 4})), [](int at) { return at == 2 || at == 3 || at >= 4; }),
            8);
  // a group's ports
  EXPECT_EQ(crossing(*made(dragonfly(9, 4, 2, 2)), [](int at) { return at / 4 == 0; }), 8);
}

}  // namespace
}  // namespace parcast::simulate::network
