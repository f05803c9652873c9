// SPDX-License-Identifier: Apache-2.0
#pragma once
// The units of a system by number: who is whose child, how many instances and processors there are, and how instances are numbered.

#include <cstddef>

#include "machine/system.h"

namespace parcast::machine {

/// Most instances of one unit, and processors of a system.
inline constexpr std::int64_t kMostInstances = std::int64_t{1} << 40;

struct SystemTree {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t root = kNone;
  std::vector<std::size_t> parent;                 // of each unit
  std::vector<std::vector<std::size_t>> children;  // of each unit
  std::vector<std::int64_t> instances;             // of each unit in the whole system
  std::vector<std::int64_t> processors;            // in one instance of each unit
  /// Instances of children at which messages can be (processing or communication not void) are numbered through: those of the first such child first.
  std::vector<std::int64_t> joined;          // how many in one instance of each unit
  std::vector<std::int64_t> first_position;  // of each unit among those of its parent; -1: it has none

  /// The system must keep the rules of trees and counts (validate): one root, unique names, known parents, no circle.
  static SystemTree of(const System& system);
};

/// The number of the unit with that name, or kNone.
std::size_t unit_named(const System& system, std::string_view name);
inline bool is_processor(const Unit& unit) { return unit.processing.kind == Decomposition::simple; }
/// The unit's own link is a hop for what begins, ends or passes there: messages can be in none of its parts.
inline bool has_interface(const System& system, const SystemTree& tree, std::size_t unit) {
  return system.units[unit].communication.kind == Decomposition::simple && tree.joined[unit] == 0;
}

/// "node 0" or "host": an instance of a child of the unit, as its position; nothing where there is none.
struct Instance {
  std::size_t unit = SystemTree::kNone;
  std::int64_t number = 0;  // within its parent
};
std::optional<Instance> instance_named(const System& system, const SystemTree& tree, std::size_t parent, std::string_view text);

/// The connections from a child of `unit` to another, the fewest, among as few those written first; to itself: by way of a neighbour. Units passed and connections
/// alternate, beginning and ending with a connection. Empty: there is no way.
struct Passage {
  std::vector<std::size_t> connections;
  std::vector<std::size_t> between;  // units passed: one less
};
Passage passage(const System& system, std::size_t unit, std::size_t from, std::size_t to);

}  // namespace parcast::machine
