// SPDX-License-Identifier: Apache-2.0
#include "machine/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <set>

#include "machine/test_systems.h"
#include "machine/topology.h"

namespace parcast::machine {
namespace {

using test::assumed;
using test::cluster;
using test::hypercube_with_host;
using test::link_of;

Routes routes_of(const System& system, std::int32_t ranks, std::string_view rule) {
  auto mapping = map_ranks(system, ranks, *map_rule_from(rule));
  EXPECT_TRUE(mapping) << mapping.error().what;
  auto routes = Routes::of(std::move(*mapping));
  EXPECT_TRUE(routes) << routes.error().what;
  return std::move(*routes);
}

TEST(Routes, go_from_a_node_through_the_cube_and_the_service_module_to_the_host) {
  Routes routes = routes_of(hypercube_with_host(8), 9, "host+block");
  EXPECT_EQ(routes.place(0), "host");
  EXPECT_EQ(routes.place(4), "node 3");
  EXPECT_EQ(routes.text(4, 0), "node 3 -> cube (2 hops by node 2) -> node 0 -> service -> ethernet -> host");
  EXPECT_EQ(routes.text(0, 4), "host -> ethernet -> service -> node 0 -> cube (2 hops by node 1) -> node 3");
  EXPECT_EQ(routes.text(1, 0), "node 0 -> service -> ethernet -> host");
  EXPECT_EQ(routes.text(2, 1), "node 1 -> cube -> node 0");
  EXPECT_EQ(routes.text(2, 2), "node 1");
}

TEST(Routes, combine_the_costs_of_their_hops) {
  Routes routes = routes_of(hypercube_with_host(8), 9, "host+block");
  const Route& route = routes.between(4, 0);
  const Link link = routes.link(route);
  // interface, two links of the cube, connection, service module, connection, interface
  EXPECT_EQ(route.length, 7);
  EXPECT_EQ(link.send_overhead.value, 3e-5) << "of the node";
  EXPECT_EQ(link.receive_overhead.value, 6e-4) << "of the host";
  EXPECT_DOUBLE_EQ(link.latency.value, 2 * 1e-5 + 1e-4 + 2e-4 + 1e-3);
  EXPECT_DOUBLE_EQ(link.gap_per_byte.value, 0.4e-6 + 0.5e-6 + 1e-6)
      << "the cube streams, the service module stores";
  EXPECT_EQ(link.latency.origin, Origin::assumed);
  EXPECT_EQ(link.eager_limit.origin, Origin::unknown);
  const Link back = routes.link(routes.between(0, 4));
  EXPECT_EQ(back.send_overhead.value, 5e-4);
  EXPECT_EQ(back.receive_overhead.value, 4e-5);
  EXPECT_DOUBLE_EQ(back.gap_per_byte.value, link.gap_per_byte.value);
}

TEST(Routes, errors_of_one_link_add_up_and_those_of_different_ones_are_independent) {
  Link a = link_of(3e-6, 2e-9), b = link_of(1e-6, 5e-9);
  a.latency.standard_error = 3e-7, b.latency.standard_error = 4e-7;
  a.gap_per_byte.standard_error = 1e-10, b.gap_per_byte.standard_error = 2e-10;
  const Link thrice = combined({{0, &a, 3, false}});
  EXPECT_DOUBLE_EQ(thrice.latency.standard_error, 9e-7);
  EXPECT_DOUBLE_EQ(thrice.gap_per_byte.value, 2e-9);
  const Link both = combined({{0, &a, 1, false}, {1, &b, 1, false}});
  EXPECT_DOUBLE_EQ(both.latency.value, 4e-6);
  EXPECT_DOUBLE_EQ(both.latency.standard_error, 5e-7);
  EXPECT_DOUBLE_EQ(both.gap_per_byte.value, 5e-9);
  EXPECT_DOUBLE_EQ(both.gap_per_byte.standard_error, 2e-10);
  const Link stored = combined({{0, &a, 3, true}, {1, &b, 1, false}});
  EXPECT_DOUBLE_EQ(stored.gap_per_byte.value, 3 * 2e-9 + 5e-9);
  EXPECT_NEAR(stored.gap_per_byte.standard_error, std::hypot(3e-10, 2e-10), 1e-22);
}

TEST(Routes, take_the_smallest_eager_limit_sum_handshakes_and_correct_only_a_single_hop) {
  Link a = link_of(3e-6, 2e-9), b = link_of(1e-6, 5e-9);
  a.eager_limit = assumed(4096), b.eager_limit = assumed(1024);
  a.rendezvous_latency = assumed(1e-5), b.rendezvous_latency = assumed(2e-5);
  a.rendezvous_gap_per_byte = assumed(1e-9);
  a.gap = assumed(1e-6), b.gap = assumed(4e-6);
  a.corrections = {{0, assumed(1e-7), {}}};
  const Link both = combined({{0, &a, 1, false}, {1, &b, 1, false}});
  EXPECT_EQ(both.eager_limit.value, 1024);
  EXPECT_DOUBLE_EQ(both.rendezvous_latency.value, 3e-5);
  EXPECT_DOUBLE_EQ(both.rendezvous_gap_per_byte.value, 5e-9) << "of b, which has none, its gap per byte";
  EXPECT_EQ(both.gap.value, 4e-6);
  EXPECT_TRUE(both.corrections.empty());
  EXPECT_EQ(combined({{0, &a, 1, false}}).corrections.size(), 1u);
}

TEST(Routes, of_a_derived_system_are_one_hop_over_the_machines_link) {
  const Machine machine = cluster();
  Routes routes = routes_of(*system_of(machine), 128, "block");
  const auto same = [&](std::int32_t a, std::int32_t b, const std::string& link) {
    const Route& route = routes.between(a, b);
    EXPECT_EQ(route.length, 1);
    const Link &found = routes.link(route), &wanted = machine.links.at(link);
    EXPECT_EQ(found.latency.value, wanted.latency.value);
    EXPECT_EQ(found.gap_per_byte.value, wanted.gap_per_byte.value);
  };
  same(0, 3, "core"), same(0, 4, "node"), same(5, 2, "node"), same(7, 8, "network"), same(127, 0, "network");
  EXPECT_EQ(routes.text(0, 3), "core 0 -> socket 0 -> core 3");
  EXPECT_EQ(routes.text(9, 14), "core 9 -> node 1 -> core 14");
  EXPECT_EQ(routes.text(7, 8), "core 7 -> network -> core 8");
  EXPECT_EQ(routes.links().size(), 3u);
}

TEST(Routes, between_65536_ranks_are_few) {
  System system = *system_of(cluster());
  Routes routes = routes_of(system, 65536, "block");
  std::mt19937 draw(1);
  std::set<std::size_t> links;
  for (int i = 0; i < 100'000; ++i)
    links.insert(
        routes.between(static_cast<std::int32_t>(draw() % 65536), static_cast<std::int32_t>(draw() % 65536))
            .link_index);
  EXPECT_LE(links.size(), 4u);
  Routes cube = routes_of(hypercube_with_host(65536), 65536, "block");
  const Route& first = cube.between(1, 65535);  // rank 0 is on the host, the first processor
  for (int i = 0; i < 100'000; ++i)
    cube.between(static_cast<std::int32_t>(draw() % 65536), static_cast<std::int32_t>(draw() % 65536));
  EXPECT_EQ(&first, &cube.between(1, 65535)) << "references stay";
  EXPECT_LE(cube.links().size(), 1u + 16u + 2u * 17u);
}

/// Breadth-first search over the edges of the topology.
std::vector<std::int32_t> distances(const Joined& joined, std::int64_t from) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(joined.count), -1);
  std::deque<std::int64_t> waiting{from};
  out[static_cast<std::size_t>(from)] = 0;
  const auto neighbours = [&](std::int64_t at) {
    std::vector<std::int64_t> next;
    if (joined.topology == Topology::hypercube)
      for (std::int64_t bit = 1; bit < joined.count; bit *= 2) next.push_back(at ^ bit);
    const auto one = static_cast<std::int32_t>(joined.count);
    std::vector<std::int32_t> extents(joined.extents.begin(), joined.extents.end());
    if (joined.topology == Topology::ring) extents = {one};
    std::int64_t stride = 1;
    for (auto extent = extents.rbegin(); extent != extents.rend(); stride *= *extent++)
      for (const int step : {-1, 1}) {
        const std::int64_t coordinate = at / stride % *extent, moved = coordinate + step;
        if (joined.topology == Topology::mesh && (moved < 0 || moved >= *extent)) continue;
        next.push_back(at + ((moved + *extent) % *extent - coordinate) * stride);
      }
    return next;
  };
  for (; !waiting.empty(); waiting.pop_front())
    for (const std::int64_t next : neighbours(waiting.front()))
      if (out[static_cast<std::size_t>(next)] < 0)
        out[static_cast<std::size_t>(next)] = out[static_cast<std::size_t>(waiting.front())] + 1,
        waiting.push_back(next);
  return out;
}

TEST(Topologies, have_the_distances_of_their_graphs_and_ways_along_its_edges) {
  const std::vector<std::int32_t> grid{3, 4, 2};
  for (const Joined& joined :
       {Joined{Topology::hypercube, 16, {}}, Joined{Topology::ring, 7, {}}, Joined{Topology::ring, 8, {}},
        Joined{Topology::ring, 2, {}}, Joined{Topology::mesh, 24, grid}, Joined{Topology::torus, 24, grid}})
    for (std::int64_t from = 0; from < joined.count; ++from) {
      const auto wanted = distances(joined, from);
      for (std::int64_t to = 0; to < joined.count; ++to) {
        ASSERT_EQ(hops_between(joined, from, to), wanted[static_cast<std::size_t>(to)])
            << to_string(joined.topology) << " " << from << " " << to;
        auto way = way_between(joined, from, to);
        ASSERT_EQ(way.size() + 1,
                  static_cast<std::size_t>(std::max(1, wanted[static_cast<std::size_t>(to)])));
        way.insert(way.begin(), from);
        if (from != to) way.push_back(to);
        for (std::size_t i = 1; i < way.size(); ++i) ASSERT_EQ(hops_between(joined, way[i - 1], way[i]), 1);
      }
    }
}

TEST(Topologies, go_the_lowest_bit_and_the_first_dimension_first) {
  EXPECT_EQ(way_between({Topology::hypercube, 16, {}}, 0b0101, 0b1110),
            (std::vector<std::int64_t>{0b0100, 0b0110}));
  const std::vector<std::int32_t> grid{4, 4};
  EXPECT_EQ(way_between({Topology::mesh, 16, grid}, 0, 6), (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(way_between({Topology::torus, 16, grid}, 1, 11), (std::vector<std::int64_t>{5, 9, 8}))
      << "half way round twice: up from 0, down from 1";
  EXPECT_EQ(way_between({Topology::torus, 16, grid}, 0, 15), (std::vector<std::int64_t>{12}));
  EXPECT_EQ(way_between({Topology::ring, 6, {}}, 1, 4), (std::vector<std::int64_t>{0, 5}))
      << "half way round, down from an odd one";
  EXPECT_TRUE(way_between({Topology::bus, 6, {}}, 1, 4).empty());
}

TEST(Routes, pass_connected_units_and_take_the_fewest_connections) {
  Unit site, left, right, router, shortcut;
  site.name = "site", left.name = "left", right.name = "right", router.name = "router",
  shortcut.name = "shortcut";
  site.processing.kind = site.communication.kind = Decomposition::compound;
  left.parent = right.parent = router.parent = shortcut.parent = "site";
  left.count = 4;
  left.processing = right.processing = {Decomposition::simple, assumed(1e6), {}};
  router.communication.kind = shortcut.communication.kind = Decomposition::simple;
  router.communication.link.latency = assumed(1e-6), shortcut.communication.link.latency = assumed(1e-3);
  site.communication.connections = {{"left", "router", "", link_of(1e-6, 1e-9)},
                                    {"router", "shortcut", "", link_of(1e-6, 1e-9)},
                                    {"shortcut", "right", "", link_of(1e-6, 1e-9)},
                                    {"right", "left", "cable", link_of(7e-6, 1e-9)}};
  Routes routes = routes_of({"site", {site, left, right, router, shortcut}, 0, {}}, 5, "block");
  EXPECT_EQ(routes.text(2, 4), "left 2 -> cable -> right");
  EXPECT_EQ(routes.text(2, 3), "left 2 -> router -> left 3");
  EXPECT_DOUBLE_EQ(routes.link(routes.between(2, 3)).latency.value, 3e-6);
}

}  // namespace
}  // namespace parcast::machine
