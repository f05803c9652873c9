// SPDX-License-Identifier: Apache-2.0
// Tests only: random networks for random programs.
#include <gtest/gtest.h>

#include <algorithm>

#include "predict/simulate/test_generator.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate::testing {
namespace {

machine::Parameter assumed(double value) {
  return {value, 0, 0, Origin::assumed};
}

std::int32_t nodes_of(const Case& of) {
  if (of.platform.node_of.empty()) return of.trace.ranks;
  return *std::max_element(of.platform.node_of.begin(), of.platform.node_of.end()) + 1;
}

/// One of the topologies with room for `nodes`.
machine::Machine random_network(Draw& draw, std::int32_t nodes) {
  machine::Machine machine;
  machine.name = "net";
  machine.nodes = nodes;
  machine::Network& network = machine.network.emplace();
  network.topology = "crossbar";
  network.bandwidth = assumed(
      static_cast<double>(draw.of({20'000'000'000, 100'000'000'000, 700'000'000'000, 2'000'000'000'000})));
  const std::int32_t half = (nodes + 1) / 2;
  switch (draw.below(6)) {
    case 0:
      break;
    case 1:
      network.topology = "bus";
      break;
    case 2:
      network.topology = "torus", network.dimensions = {nodes};
      break;
    case 3:
      network.topology = "torus", network.dimensions = {2, half};
      break;
    case 4:
      network.topology = "fat_tree", network.down = {half, 2},
      network.up = {1, static_cast<std::int32_t>(draw.between(1, 2))};
      break;
    default:
      network.topology = "dragonfly", network.groups = 3, network.routers_per_group = 2,
      network.nodes_per_router = (nodes + 5) / 6,
      network.global_links_per_router = static_cast<std::int32_t>(draw.between(1, 2));
  }
  if (draw.one_in(2))
    network.injection_bandwidth =
        assumed(static_cast<double>(draw.of({50'000'000'000, 400'000'000'000, 3'000'000'000'000})));
  if (draw.one_in(2))
    network.memory_bandwidth =
        assumed(static_cast<double>(draw.of({50'000'000'000, 400'000'000'000, 3'000'000'000'000})));
  if (draw.one_in(2)) network.hop_latency = assumed(static_cast<double>(draw.of({1, 10, 30})) * 1e-12);
  return machine;
}

}  // namespace

Case with_network(Case of, std::uint64_t seed, bool scarce) {
  Draw draw(seed + 0x5eed);
  machine::Machine machine = random_network(draw, nodes_of(of));
  if (!scarce)
    machine.network->bandwidth = machine.network->injection_bandwidth = machine.network->memory_bandwidth =
        assumed(6e13);
  const auto network = network::Network::of(machine, nodes_of(of));
  EXPECT_TRUE(network) << to_string(network.error());
  of.platform.network = *network;
  return of;
}

}  // namespace parcast::simulate::testing
