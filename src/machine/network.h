// SPDX-License-Identifier: Apache-2.0
#pragma once
// The topologies that a machine's network may have, and the numbers of their shapes under their names in
// machine files.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace parcast::machine {

/// A number of a topology's shape; for a list field, one number per level or dimension.
struct ShapeField {
  std::string_view name;
  std::int32_t Network::*count = nullptr;
  std::vector<std::int32_t> Network::*list = nullptr;
  bool required = true;
};

struct TopologyKind {
  std::string_view name;
  std::span<const ShapeField> shape;
  std::string_view example;  // an example of the shape in the syntax of the file
  /// Returns the nodes that a network with all required numbers joins. The result is floating point because
  /// it may be very large.
  double (*nodes)(const Network& network, std::int32_t nodes_of_machine);
  double (*links)(const Network& network, double nodes);
};
std::span<const TopologyKind> topologies();
/// Returns null for an unknown name.
const TopologyKind* topology_kind(std::string_view name);

/// Returns all fields of all shapes.
std::span<const ShapeField> shape_fields();

/// Returns the number of nodes that the machine's network joins. The machine must have passed check(), and
/// its network must have a topology.
std::int32_t network_nodes(const Machine& machine);

/// Checks the rules for a machine's network and returns the first violation. A machine without a network
/// passes.
Result<void> check_network(const Machine& machine);

/// Returns the shape for reports: "4 x 4 x 2", "18 down, 9 up; 32 down, 1 up". Empty if the topology has
/// none.
std::string shape_text(const Network& network);

}  // namespace parcast::machine
