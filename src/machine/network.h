// SPDX-License-Identifier: Apache-2.0
#pragma once
// The topologies that a machine's network may have, with the numbers that give their shape, as the file names them.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace parcast::machine {

/// A number of a topology's shape; of those with a list one number for each level or dimension.
struct ShapeField {
  std::string_view name;
  std::int32_t Network::*count = nullptr;
  std::vector<std::int32_t> Network::*list = nullptr;
  bool required = true;
};

struct TopologyKind {
  std::string_view name;
  std::span<const ShapeField> shape;
  std::string_view example;  // of the shape, as the file says it
  /// Of a network that has what is required; as floating-point numbers, since they may be out of all measure.
  double (*nodes)(const Network& network, std::int32_t nodes_of_machine);
  double (*links)(const Network& network, double nodes);
};
std::span<const TopologyKind> topologies();
/// Null for a name that is none.
const TopologyKind* topology_kind(std::string_view name);

/// All fields of all shapes.
std::span<const ShapeField> shape_fields();

/// Nodes that the machine's network joins; the machine has passed check(), and its network has a topology.
std::int32_t network_nodes(const Machine& machine);

/// The rules a machine's network must keep; the first violation. Nothing to check where the machine has none.
Result<void> check_network(const Machine& machine);

/// "4 x 4 x 2", "18 down, 9 up; 32 down, 1 up": the shape as people say it; empty where the topology has none.
std::string shape_text(const Network& network);

}  // namespace parcast::machine
