// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reduces a hand-written system (docs/models/system_graph.md) to one link inside a node and one between
// nodes. Some engines have only these two links.

#include <cstdint>
#include <functional>
#include <vector>

#include "machine/routes.h"
#include "predict/prediction.h"

namespace parcast::predict {

/// Returns the routes between the ranks of the question on a machine with a system. Fails when the ranks do
/// not fit into the system.
Result<machine::Routes> routes_of(const machine::Machine& machine, const Question& question);

/// Returns the link on which an empty message takes longest, among the routes from the first of `count`
/// members to the others. Only the first 256 members are examined.
machine::Link longest_link(machine::Routes& routes, std::int32_t count,
                           const std::function<std::int32_t(std::int32_t)>& member);

struct FlatSystem {
  machine::Machine machine;
  Question question;                  // its ranks per node are those of the fullest node
  std::vector<std::int32_t> node_of;  // of each rank; empty: placed block by block
};

/// Ranks whose processors belong to the same unit share a node. The longest route within such a unit becomes
/// the link "node"; the longest between rank 0 and ranks of other units becomes "network". When one unit
/// holds all ranks, each rank has its own node. Machine and question are unchanged when the machine has no
/// such system, or when the ranks do not fit into it.
FlatSystem flattened(const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict
