// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/platform.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "machine/cost.h"
#include "machine/fields.h"
#include "machine/tools.h"

namespace parcast::simulate {
namespace {

constexpr double kPerSecond = 1e12;
constexpr double kRateLimit = 4.6e18;  // below 2^62

struct Conversion {
  const std::string& machine;
  const std::string& link;
  std::optional<Error> failure;

  Time time(const machine::Parameter& parameter, std::string_view name) {
    return static_cast<Time>(whole(parameter.value * kPerSecond, static_cast<double>(trace::kLongest), name));
  }
  Rate rate(const machine::Parameter& parameter, std::string_view name) {
    return static_cast<Rate>(
        whole(parameter.value * kPerSecond * static_cast<double>(kOne), kRateLimit, name));
  }

 private:
  double whole(double value, double most, std::string_view name) {
    if (std::abs(value) <= most) return std::nearbyint(value);
    if (!failure)
      failure = Error{"links." + link + "." + std::string(name) + " is out of range", machine,
                      "a simulated run lasts at most 26 days"};
    return 0;
  }
};

Result<Link> convert(const machine::Machine& machine, const std::string& name, const machine::Link& from) {
  Conversion to{machine.name, name, {}};
  Link link;
  link.latency = to.time(from.latency, "latency");
  link.send_overhead = to.time(from.send_overhead, "send_overhead");
  link.receive_overhead = to.time(from.receive_overhead, "receive_overhead");
  link.gap = to.time(from.gap, "gap");
  link.gap_per_byte = to.rate(from.gap_per_byte, "gap_per_byte");
  link.send_overhead_per_byte = to.rate(from.send_overhead_per_byte, "send_overhead_per_byte");
  link.receive_overhead_per_byte = to.rate(from.receive_overhead_per_byte, "receive_overhead_per_byte");
  if (known(from.eager_limit))
    link.eager_limit = static_cast<std::int64_t>(std::min(from.eager_limit.value, kRateLimit));
  if (known(from.rendezvous_latency)) link.handshake = to.time(from.rendezvous_latency, "rendezvous_latency");
  link.rendezvous_gap_per_byte = known(from.rendezvous_gap_per_byte)
                                     ? to.rate(from.rendezvous_gap_per_byte, "rendezvous_gap_per_byte")
                                     : link.gap_per_byte;
  for (const auto& correction : from.corrections)
    link.corrections.push_back({static_cast<std::int64_t>(std::min(correction.from_bytes, kRateLimit)),
                                to.time(correction.startup, "corrections.startup"),
                                to.rate(correction.per_byte, "corrections.per_byte")});
  if (to.failure) return *to.failure;
  return link;
}

/// Returns the number of a machine's link; adds an assumption when another link replaces it.
std::uint32_t choose(const machine::Machine& machine, const std::vector<std::string>& names,
                     std::size_t wanted, Platform& platform) {
  const machine::LinkChoice choice = machine::nearest_link(machine, wanted);
  if (!choice.note.empty()) platform.assumptions.push_back(choice.note);
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), choice.link) - names.begin());
}

/// Places ranks block by block.
void place(const machine::Machine& machine, std::int32_t ranks, std::int32_t ranks_per_node,
           Platform& platform) {
  const std::int32_t cores = std::max(machine.cores_per_node, 1),
                     sockets = std::max(machine.sockets_per_node, 1);
  const std::int32_t per_node = ranks_per_node > 0 ? ranks_per_node : cores;
  const std::int32_t per_socket = std::max((std::max(per_node, cores) + sockets - 1) / sockets, 1);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    platform.node_of.push_back(rank / per_node);
    platform.socket_of.push_back(rank / per_node * sockets +
                                 std::min(rank % per_node / per_socket, sockets - 1));
  }
  if (per_node > cores)
    platform.assumptions.push_back(std::to_string(per_node) + " processes on a node of " +
                                   std::to_string(cores) + " cores are taken to have a core each");
}

/// Places ranks on the given nodes; the ranks of a node fill its sockets one after the other.
void place(const machine::Machine& machine, std::vector<std::int32_t> node_of, Platform& platform) {
  const std::int32_t cores = std::max(machine.cores_per_node, 1),
                     sockets = std::max(machine.sockets_per_node, 1);
  std::map<std::int32_t, std::int32_t> ranks_on, placed;
  for (const std::int32_t node : node_of) ++ranks_on[node];
  for (const std::int32_t node : node_of) {
    const std::int32_t per_socket = std::max((std::max(ranks_on[node], cores) + sockets - 1) / sockets, 1);
    platform.socket_of.push_back(node * sockets + std::min(placed[node]++ / per_socket, sockets - 1));
  }
  platform.node_of = std::move(node_of);
}

std::int32_t last_of(const std::vector<std::int32_t>& numbers) {
  return *std::max_element(numbers.begin(), numbers.end());
}

/// A run on one node shares only its memory.
Result<void> take_network(const machine::Machine& machine, Platform& platform) {
  if (!machine.network || platform.node_of.empty()) return {};
  const std::int32_t nodes = last_of(platform.node_of) + 1;
  if (nodes == 1 && !known(machine.network->memory_bandwidth)) return {};
  PARCAST_ASSIGN(network::Network network, network::Network::of(machine, nodes));
  platform.network = std::move(network);
  if (!machine.network->topology.empty() && nodes > 1 && !known(machine.network->injection_bandwidth))
    platform.assumptions.push_back("nodes of " + machine.name +
                                   " are taken to be joined to the network by a link like those between "
                                   "switches; network.injection_bandwidth changes that");
  return {};
}

/// Returns the platform with the machine's links, before ranks are placed. Without links, messages are free
/// and nothing needs to be placed.
Result<Platform> unplaced(const machine::Machine& machine) {
  Platform platform;
  platform.name = machine.name;
  platform.collectives = machine.collectives;
  platform.share = dependence::share_of(machine);
  if (!platform.share.whole()) platform.assumptions.push_back(dependence::share_sentence(machine));
  for (const auto& [name, link] : machine.links) {
    PARCAST_ASSIGN(Link converted, convert(machine, name, link));
    platform.links.push_back(std::move(converted));
  }
  if (!platform.links.empty()) return platform;
  platform.links.emplace_back();
  if (machine.name != "ideal")
    platform.assumptions.push_back(machine.name + " has no links: messages count as free");
  return platform;
}

/// Sets which links join the placed ranks, and the network that they share.
Result<void> join_ranks(const machine::Machine& machine, Platform& platform) {
  std::vector<std::string> names;
  for (const auto& [name, link] : machine.links) names.push_back(name);
  const bool one_node = !platform.node_of.empty() && last_of(platform.node_of) == 0;
  const bool one_socket = one_node && last_of(platform.socket_of) == 0;
  platform.inside_socket = choose(machine, names, 0, platform);
  platform.inside_node = one_socket ? platform.inside_socket : choose(machine, names, 1, platform);
  platform.between_nodes = one_node ? platform.inside_node : choose(machine, names, 3, platform);
  return take_network(machine, platform);
}

}  // namespace

Result<Platform> platform_of(const machine::Machine& machine, std::int32_t ranks,
                             std::int32_t ranks_per_node) {
  PARCAST_ASSIGN(Platform platform, unplaced(machine));
  if (machine.links.empty()) return platform;
  place(machine, ranks, ranks_per_node, platform);
  PARCAST_TRY(join_ranks(machine, platform));
  return platform;
}

Result<Platform> platform_of(const machine::Machine& machine, std::vector<std::int32_t> node_of) {
  PARCAST_ASSIGN(Platform platform, unplaced(machine));
  if (machine.links.empty()) return platform;
  place(machine, std::move(node_of), platform);
  PARCAST_TRY(join_ranks(machine, platform));
  return platform;
}

}  // namespace parcast::simulate
