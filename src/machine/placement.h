// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares the placement of processes on nodes with that of the launches that measured the tables of
// collectives. The cost of a call depends on the placement: all processes on one node, one on each node, or
// several on each of several nodes (docs/models/communication.md, Placement).

#include <cstdint>
#include <optional>
#include <string>

#include "machine/machine.h"

namespace parcast::machine {

enum class Spread { one_node, one_per_node, several_per_node };
/// For two or more processes. `ranks_per_node`: the largest number on a node.
Spread spread_of(std::int32_t nodes, std::int32_t ranks_per_node);
/// Returns "all processes on one node", "one process on each node", "up to 8 processes on each of 4 nodes".
std::string spread_text(std::int32_t nodes, std::int32_t ranks_per_node);

/// Returns the placement of a measured launch at the process counts next to `members` if no launch there was
/// placed as `asked`. Empty if one was, or if the placements are unknown.
std::optional<MeasuredPlacement> placed_otherwise(const Machine& machine, const PatternCost& table,
                                                  double members, Spread asked);

}  // namespace parcast::machine
