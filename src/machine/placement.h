// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether processes lie on nodes as those did that the tables of collectives were measured with: a call inside one node costs otherwise than one of
// processes on a node each, and either otherwise than one of several on each of several nodes (docs/models/communication.md, Placement).

#include <cstdint>
#include <optional>
#include <string>

#include "machine/machine.h"

namespace parcast::machine {

enum class Spread { one_node, one_per_node, several_per_node };
/// Of two processes or more; `ranks_per_node`: the most on a node.
Spread spread_of(std::int32_t nodes, std::int32_t ranks_per_node);
/// "all processes on one node", "one process on each node", "up to 8 processes on each of 4 nodes".
std::string spread_text(std::int32_t nodes, std::int32_t ranks_per_node);

/// How the launches behind a table lay at the process counts next to `members`, where none of them lay as `asked`. Nothing: one did, or it is not known.
std::optional<MeasuredPlacement> placed_otherwise(const Machine& machine, const PatternCost& table, double members, Spread asked);

}  // namespace parcast::machine
