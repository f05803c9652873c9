// SPDX-License-Identifier: Apache-2.0
#pragma once
// Systems that a person wrote (docs/models/system_graph.md), for engines that have a link inside a node and
// one between nodes.

#include <cstdint>
#include <functional>
#include <vector>

#include "machine/routes.h"
#include "predict/prediction.h"

namespace parcast::predict {

/// The ways between the ranks of the question on a machine with a system. Fails where they have no place in
/// it.
Result<machine::Routes> routes_of(const machine::Machine& machine, const Question& question);

/// The link of the route from the first of `count` members on which a message of no bytes takes longest; of
/// many members the first 256 are looked at.
machine::Link longest_link(machine::Routes& routes, std::int32_t count,
                           const std::function<std::int32_t(std::int32_t)>& member);

struct FlatSystem {
  machine::Machine machine;
  Question question;                  // with as many ranks on a node as the fullest has
  std::vector<std::int32_t> node_of;  // of each rank; empty: placed block by block
};

/// Ranks whose processors the same unit holds share a node; the longest way within such a unit is the link of
/// a node, the longest between two of them the network's. Where one unit holds all ranks, each has a node of
/// its own. The machine and the question are as they were where the machine has no such system, or where the
/// ranks have no place in it.
FlatSystem flattened(const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict
