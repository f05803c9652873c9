// SPDX-License-Identifier: Apache-2.0
#pragma once
// The links that messages of a machine share: those of its topology, and inside a node its memory.
// docs/models/network.md defines every number.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "predict/simulate/network/bandwidth.h"
#include "predict/simulate/network/topology.h"

namespace parcast::simulate::network {

class Network {
 public:
  /// Returns the network of a machine for a run on nodes 0 .. nodes-1. Fails when the machine's network is
  /// invalid or has fewer nodes.
  static Result<Network> of(const machine::Machine& machine, std::int32_t nodes);

  /// Returns the capacities of links 0 .. n-1.
  const std::vector<Bandwidth>& capacities() const { return capacities_; }
  /// Sets `links` to those that a message from one node to another, or inside one, shares with others; empty
  /// if there are none.
  void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const;
  /// "switch (0, 1) to switch (0, 2)", "memory of node 3".
  std::string name_of(LinkId link) const;
  /// Returns the additional latency between the nodes relative to two nodes on one switch.
  Time further(std::int32_t from, std::int32_t to) const;

 private:
  std::shared_ptr<const Topology> topology_;  // null: messages between nodes share nothing
  std::vector<Bandwidth> capacities_;
  Time hop_latency_ = 0;
  bool shares_memory_ = false;
  LinkId first_memory_ = 0;  // of node 0; the other nodes' follow
};

}  // namespace parcast::simulate::network
