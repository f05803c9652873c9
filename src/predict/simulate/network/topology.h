// SPDX-License-Identifier: Apache-2.0
#pragma once
// Connections of nodes: directed links between vertices (nodes 0 .. n-1, then switches), and one route from
// each node to each other node. docs/models/network.md, "Topologies".

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "predict/simulate/network/bandwidth.h"
#include "predict/simulate/network/shares.h"

namespace parcast::simulate::network {

using Vertex = std::uint32_t;

/// Capacities of links by kind.
struct Bandwidths {
  Bandwidth link = 0;       // between switches
  Bandwidth injection = 0;  // between a node and its switch
  Bandwidth global = 0;     // between groups of a dragonfly
};

class Topology {
 public:
  virtual ~Topology() = default;

  /// Appends the links of a message's route, in order; from != to, both below nodes().
  virtual void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const = 0;

  /// "node 3", "switch (1, 2)", "router 3 of group 0".
  std::string name_of(Vertex vertex) const {
    return vertex < static_cast<Vertex>(nodes_) ? "node " + std::to_string(vertex)
                                                : switch_name(vertex - static_cast<Vertex>(nodes_));
  }

  struct Link {
    Vertex from = 0, to = 0;
    Bandwidth capacity = 0;
  };
  std::int32_t nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }

 protected:
  /// `number` counts the switches from 0.
  virtual std::string switch_name(Vertex number) const { return "switch " + std::to_string(number); }

  explicit Topology(std::int32_t nodes) : nodes_(nodes) {}
  LinkId add(Vertex from, Vertex to, Bandwidth capacity) {
    links_.push_back({from, to, capacity});
    return static_cast<LinkId>(links_.size() - 1);
  }
  /// Adds links 2 n and 2 n + 1 of every node n: to its switch, and back.
  template <class SwitchOf>
  void add_injection(Bandwidth capacity, SwitchOf switch_of) {
    for (std::int32_t node = 0; node < nodes_; ++node) {
      add(static_cast<Vertex>(node), switch_of(node), capacity);
      add(switch_of(node), static_cast<Vertex>(node), capacity);
    }
  }
  static LinkId injection(std::int32_t node) { return 2 * static_cast<LinkId>(node); }
  static LinkId ejection(std::int32_t node) { return 2 * static_cast<LinkId>(node) + 1; }

 private:
  std::int32_t nodes_;
  std::vector<Link> links_;
};

/// Returns the topology of a machine's network that has passed check(); `nodes` of machine::network_nodes().
std::shared_ptr<const Topology> make_topology(const machine::Network& network, std::int32_t nodes,
                                              const Bandwidths& bandwidths);

// Each is in a file of its own.
std::shared_ptr<const Topology> make_crossbar(const machine::Network& network, std::int32_t nodes,
                                              const Bandwidths& bandwidths);
std::shared_ptr<const Topology> make_bus(const machine::Network& network, std::int32_t nodes,
                                         const Bandwidths& bandwidths);
std::shared_ptr<const Topology> make_torus(const machine::Network& network, std::int32_t nodes,
                                           const Bandwidths& bandwidths);
std::shared_ptr<const Topology> make_fat_tree(const machine::Network& network, std::int32_t nodes,
                                              const Bandwidths& bandwidths);
std::shared_ptr<const Topology> make_dragonfly(const machine::Network& network, std::int32_t nodes,
                                               const Bandwidths& bandwidths);

}  // namespace parcast::simulate::network
