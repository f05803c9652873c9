// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/network.h"

#include <cmath>
#include <string>

#include "machine/fields.h"
#include "machine/network.h"

namespace parcast::simulate::network {
namespace {

Bandwidth converted(const machine::Parameter& parameter) {
  return static_cast<Bandwidth>(std::nearbyint(parameter.value * static_cast<double>(kPerBytePerSecond)));
}

Bandwidths bandwidths_of(const machine::Network& network) {
  const Bandwidth link = converted(network.bandwidth);
  return {link, known(network.injection_bandwidth) ? converted(network.injection_bandwidth) : link,
          known(network.global_bandwidth) ? converted(network.global_bandwidth) : link};
}

}  // namespace

Result<Network> Network::of(const machine::Machine& machine, std::int32_t nodes) {
  PARCAST_TRY(machine::check_network(machine));
  const machine::Network& from = *machine.network;
  Network out;
  if (!from.topology.empty()) {
    const std::int32_t joined = machine::network_nodes(machine);
    if (nodes > joined)
      return Error{"the run takes " + std::to_string(nodes) + " nodes, but the network joins " +
                       std::to_string(joined),
                   machine.name, "more ranks on a node, or a larger network"};
    const double hop = from.hop_latency.value * 1e12;
    if (hop > static_cast<double>(trace::kLongest))
      return Error{"network.hop_latency is out of range", machine.name,
                   "a simulated run lasts at most 26 days"};
    out.hop_latency_ = static_cast<Time>(std::nearbyint(hop));
    // Without a shape, nodes that the run does not use change nothing.
    const bool shapeless = machine::topology_kind(from.topology)->shape.empty();
    out.topology_ = make_topology(from, shapeless ? nodes : joined, bandwidths_of(from));
    for (const Topology::Link& link : out.topology_->links()) out.capacities_.push_back(link.capacity);
  }
  out.first_memory_ = static_cast<LinkId>(out.capacities_.size());
  out.shares_memory_ = known(from.memory_bandwidth);
  if (out.shares_memory_)
    out.capacities_.resize(out.capacities_.size() + static_cast<std::size_t>(nodes),
                           converted(from.memory_bandwidth));
  return out;
}

void Network::way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const {
  links.clear();
  if (from != to && topology_) topology_->way(from, to, links);
  if (from == to && shares_memory_) links.push_back(first_memory_ + static_cast<LinkId>(from));
}

std::string Network::name_of(LinkId link) const {
  if (link >= first_memory_) return "memory of node " + std::to_string(link - first_memory_);
  const Topology::Link& of = topology_->links()[link];
  return topology_->name_of(of.from) + " to " + topology_->name_of(of.to);
}

Time Network::further(std::int32_t from, std::int32_t to) const {
  if (from == to || hop_latency_ == 0) return 0;
  std::vector<LinkId> links;
  topology_->way(from, to, links);
  const auto hops = static_cast<Time>(links.size()) - 2;  // without the links of the nodes
  return hop_latency_ > trace::kLongest / (hops + 1) ? trace::kLongest : hops * hop_latency_;
}

}  // namespace parcast::simulate::network
