// SPDX-License-Identifier: Apache-2.0
#pragma once
// The units of a system by number: parents and children, numbers of instances and processors, and the
// numbering of instances.

#include <cstddef>

#include "machine/system.h"

namespace parcast::machine {

/// Largest number of instances of one unit, and of processors of a system.
inline constexpr std::int64_t kMostInstances = std::int64_t{1} << 40;

struct SystemTree {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t root = kNone;
  std::vector<std::size_t> parent;                 // for each unit
  std::vector<std::vector<std::size_t>> children;  // for each unit
  std::vector<std::int64_t> instances;             // for each unit, in the entire system
  std::vector<std::int64_t> processors;            // in one instance of each unit
  /// Instances of children that messages can be in (processing or communication not void) are numbered
  /// consecutively, starting with those of the first such child.
  std::vector<std::int64_t> joined;          // their number in one instance of each unit
  std::vector<std::int64_t> first_position;  // of each unit within its parent; -1: none

  /// The system must satisfy the rules for trees and counts (validate): one root, unique names, known
  /// parents, no cycle.
  static SystemTree of(const System& system);
};

/// Returns the number of the unit with that name, or kNone.
std::size_t unit_named(const System& system, std::string_view name);
inline bool is_processor(const Unit& unit) {
  return unit.processing.kind == Decomposition::simple;
}
/// Returns whether the unit's own link is a hop of messages that start, end or pass there, since messages
/// cannot be in any of its parts.
inline bool has_interface(const System& system, const SystemTree& tree, std::size_t unit) {
  return system.units[unit].communication.kind == Decomposition::simple && tree.joined[unit] == 0;
}

/// An instance of a child of the unit, as named by "node 0" or "host"; empty if there is none.
struct Instance {
  std::size_t unit = SystemTree::kNone;
  std::int64_t number = 0;  // within its parent
};
std::optional<Instance> instance_named(const System& system, const SystemTree& tree, std::size_t parent,
                                       std::string_view text);

/// The shortest sequence of connections from a child of `unit` to another; among equally short ones, the
/// connections written first. A child reaches itself through a neighbour. Connections and the units between
/// them alternate, starting and ending with a connection. Empty: no way exists.
struct Passage {
  std::vector<std::size_t> connections;
  std::vector<std::size_t> between;  // units passed, one fewer than the connections
};
Passage passage(const System& system, std::size_t unit, std::size_t from, std::size_t to);

}  // namespace parcast::machine
