// SPDX-License-Identifier: Apache-2.0
#include "machine/network.h"

#include <algorithm>

#include "machine/fields.h"

namespace parcast::machine {
namespace {

constexpr std::int32_t kMostNodes = 1 << 20;
constexpr double kMostLinks = 1 << 24;
constexpr double kLeastBandwidth = 1e6, kMostBandwidth = 6e13;

constexpr std::array kFields{
    ShapeField{.name = "dimensions", .list = &Network::dimensions},
    ShapeField{.name = "down", .list = &Network::down},
    ShapeField{.name = "up", .list = &Network::up},
    ShapeField{.name = "parallel", .list = &Network::parallel, .required = false},
    ShapeField{.name = "groups", .count = &Network::groups},
    ShapeField{.name = "routers_per_group", .count = &Network::routers_per_group},
    ShapeField{.name = "nodes_per_router", .count = &Network::nodes_per_router},
    ShapeField{.name = "global_links_per_router", .count = &Network::global_links_per_router},
};
constexpr std::span<const ShapeField> kAll(kFields);

double product(const std::vector<std::int32_t>& factors) {
  double out = 1;
  for (const std::int32_t factor : factors) out *= factor;
  return out;
}

double fat_tree_links(const Network& network, double nodes) {
  double out = 0, vertices = nodes;
  for (std::size_t level = 0; level < network.down.size(); ++level) {
    out += 2 * vertices * network.up[level] * (network.parallel.empty() ? 1 : network.parallel[level]);
    vertices = vertices / network.down[level] * network.up[level];
  }
  return out;
}

double dragonfly_links(const Network& network, double nodes) {
  const double routers = double{1} * network.groups * network.routers_per_group;
  return 2 * nodes + routers * (network.routers_per_group - 1 + network.global_links_per_router);
}

constexpr std::array kTopologyKinds{
    TopologyKind{"crossbar",
                 {},
                 "",
                 [](const Network&, std::int32_t nodes) { return double(nodes); },
                 [](const Network&, double nodes) { return 2 * nodes; }},
    TopologyKind{"bus",
                 {},
                 "",
                 [](const Network&, std::int32_t nodes) { return double(nodes); },
                 [](const Network&, double nodes) { return 2 * nodes + 1; }},
    TopologyKind{"torus", kAll.subspan(0, 1), "dimensions = [4, 4, 4]",
                 [](const Network& network, std::int32_t) { return product(network.dimensions); },
                 [](const Network& network, double nodes) {
                   return 2 * nodes * (1 + static_cast<double>(network.dimensions.size()));
                 }},
    TopologyKind{"fat_tree", kAll.subspan(1, 3), "down = [16, 8] and up = [1, 8]",
                 [](const Network& network, std::int32_t) { return product(network.down); }, fat_tree_links},
    TopologyKind{"dragonfly", kAll.subspan(4, 4),
                 "groups = 9, routers_per_group = 4, nodes_per_router = 2 and global_links_per_router = 2",
                 [](const Network& network, std::int32_t) {
                   return double{1} * network.groups * network.routers_per_group * network.nodes_per_router;
                 },
                 dragonfly_links},
};

bool given(const Network& network, const ShapeField& field) {
  return field.list ? !(network.*field.list).empty() : network.*field.count != 0;
}

Error unknown_topology(const std::string& name) {
  std::vector<std::string> known;
  for (const TopologyKind& kind : kTopologyKinds) known.emplace_back(kind.name);
  const std::string guess = did_you_mean(name, known);
  return {"\"" + name + "\" is not a topology", "network.topology",
          guess.empty() ? "known are " + join(known, ", ") : guess};
}

bool belongs(const TopologyKind& kind, const ShapeField& field) {
  return std::any_of(kind.shape.begin(), kind.shape.end(),
                     [&](const ShapeField& own) { return own.name == field.name; });
}

/// Checks that the numbers required by the topology are present, that others are absent, and that each is at
/// least 1.
Result<void> check_shape(const Network& network, const TopologyKind& kind) {
  for (const ShapeField& field : kFields) {
    const std::string name(field.name), where = "network." + name;
    const bool own = belongs(kind, field);
    if (!given(network, field)) {
      if (own && field.required)
        return Error{"a " + std::string(kind.name) + " needs " + name, "network",
                     "for example " + std::string(kind.example)};
      continue;
    }
    if (!own)
      return Error{
          "a " + std::string(kind.name) + " has no " + name, where,
          kind.example.empty() ? "leave it out" : "its shape is given by " + std::string(kind.example)};
    const bool positive = field.list ? std::all_of((network.*field.list).begin(), (network.*field.list).end(),
                                                   [](std::int32_t each) { return each >= 1; })
                                     : network.*field.count >= 1;
    if (!positive) return Error{name + " must be 1 or more", where, ""};
  }
  return {};
}

/// Checks relations between the numbers of a shape.
Result<void> check_proportions(const Network& network) {
  const std::size_t levels = network.down.size();
  if (network.up.size() != levels)
    return Error{
        "down has " + std::to_string(levels) + " levels, but up has " + std::to_string(network.up.size()),
        "network.up", "both go by level, from the nodes up"};
  if (!network.parallel.empty() && network.parallel.size() != levels)
    return Error{"down has " + std::to_string(levels) + " levels, but parallel has " +
                     std::to_string(network.parallel.size()),
                 "network.parallel", "both go by level, from the nodes up"};
  const std::int64_t ports = std::int64_t{network.routers_per_group} * network.global_links_per_router;
  if (network.groups > ports + 1)
    return Error{std::to_string(network.groups) + " groups cannot all be joined with each other by " +
                     std::to_string(ports) + " global links of each",
                 "network.groups", "at most routers_per_group * global_links_per_router + 1"};
  return {};
}

Result<void> check_size(const Machine& machine, const TopologyKind& kind) {
  const Network& network = *machine.network;
  const double nodes = kind.nodes(network, machine.nodes);
  if (nodes > kMostNodes || kind.links(network, nodes) > kMostLinks)
    return Error{"the network is too large", "network",
                 "at most a million nodes and 16 million links can be simulated"};
  if (nodes < machine.nodes)
    return Error{"the network joins " + std::to_string(static_cast<std::int64_t>(nodes)) +
                     " nodes, but the machine has " + std::to_string(machine.nodes),
                 "network",
                 "a larger network, or nodes = " + std::to_string(static_cast<std::int64_t>(nodes))};
  return {};
}

Result<void> check_bandwidths(const Network& network) {
  for (const Field<Network>& field : kNetworkFields) {
    const Parameter& parameter = network.*field.member;
    if (field.dimension != Dimension::rate || parameter.origin == Origin::unknown) continue;
    if (parameter.value < kLeastBandwidth || parameter.value > kMostBandwidth)
      return Error{std::string(field.name) + " is " + format_measure(parameter.value, Dimension::rate) +
                       ", but must be between 1MB/s and 60000GB/s",
                   "network." + std::string(field.name), ""};
  }
  const bool joined = !network.topology.empty();
  if (joined && network.bandwidth.origin == Origin::unknown)
    return Error{"the network has no bandwidth", "network",
                 "add bandwidth = \"12.5GB/s\", of each link and each way"};
  if (!joined && network.memory_bandwidth.origin == Origin::unknown)
    return Error{"the network has neither a topology nor a memory_bandwidth", "network",
                 "add topology = \"crossbar\""};
  return {};
}

}  // namespace

std::span<const TopologyKind> topologies() {
  return kTopologyKinds;
}
std::span<const ShapeField> shape_fields() {
  return kFields;
}

const TopologyKind* topology_kind(std::string_view name) {
  const auto at = std::find_if(kTopologyKinds.begin(), kTopologyKinds.end(),
                               [&](const TopologyKind& kind) { return kind.name == name; });
  return at == kTopologyKinds.end() ? nullptr : &*at;
}

std::int32_t network_nodes(const Machine& machine) {
  return static_cast<std::int32_t>(
      topology_kind(machine.network->topology)->nodes(*machine.network, machine.nodes));
}

Result<void> check_network(const Machine& machine) {
  if (!machine.network) return {};
  const Network& network = *machine.network;
  const TopologyKind* kind = topology_kind(network.topology);
  if (!kind && !network.topology.empty()) return unknown_topology(network.topology);
  if (!kind) {
    for (const ShapeField& field : kFields)
      if (given(network, field))
        return Error{"the network has " + std::string(field.name) + ", but no topology",
                     "network." + std::string(field.name), "add topology = \"crossbar\", or another one"};
    return check_bandwidths(network);
  }
  PARCAST_TRY(check_bandwidths(network));
  PARCAST_TRY(check_shape(network, *kind));
  PARCAST_TRY(check_proportions(network));
  return check_size(machine, *kind);
}

std::string shape_text(const Network& network) {
  std::vector<std::string> parts;
  if (!network.dimensions.empty()) {
    for (const std::int32_t extent : network.dimensions) parts.push_back(std::to_string(extent));
    return join(parts, " x ");
  }
  for (std::size_t level = 0; level < network.down.size(); ++level) {
    const std::int32_t parallel = network.parallel.empty() ? 1 : network.parallel[level];
    parts.push_back(std::to_string(network.down[level]) + " down, " + std::to_string(network.up[level]) +
                    " up" + (parallel == 1 ? "" : " by " + std::to_string(parallel) + " links"));
  }
  if (network.groups > 0)
    parts = {std::to_string(network.groups) + " groups of " + std::to_string(network.routers_per_group) +
             " routers, each with " + std::to_string(network.nodes_per_router) + " nodes and " +
             std::to_string(network.global_links_per_router) + " global links"};
  return join(parts, "; ");
}

}  // namespace parcast::machine
