// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the messages of a machine share on their way: the links of its topology, and inside a node its memory.
// docs/models/network.md is the meaning of every number.

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
  /// Of a machine with a network, of which a run takes nodes 0 .. nodes-1. An error where the machine's network breaks a rule or has
  /// fewer nodes.
  static Result<Network> of(const machine::Machine& machine, std::int32_t nodes);

  /// Of links 0 .. n-1.
  const std::vector<Bandwidth>& capacities() const { return capacities_; }
  /// The links that a message from one node to another, or inside one, shares with others; empty where there are none.
  void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const;
  /// "switch (0, 1) to switch (0, 2)", "memory of node 3".
  std::string name_of(LinkId link) const;
  /// By how much further apart the nodes are than two on one switch, in latency.
  Time further(std::int32_t from, std::int32_t to) const;

 private:
  std::shared_ptr<const Topology> topology_;  // null: messages between nodes share nothing
  std::vector<Bandwidth> capacities_;
  Time hop_latency_ = 0;
  bool shares_memory_ = false;
  LinkId first_memory_ = 0;                   // of node 0; the other nodes' follow
};

}  // namespace parcast::simulate::network
