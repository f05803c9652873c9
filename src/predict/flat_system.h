// SPDX-License-Identifier: Apache-2.0
#pragma once
// Systems that a person wrote (docs/models/system_graph.md), for engines that take one link for all messages.

#include <functional>

#include "machine/routes.h"
#include "predict/prediction.h"

namespace parcast::predict {

/// The link of the route from the first of `count` members on which a message of no bytes takes longest; of many members the
/// first 256 are looked at.
machine::Link longest_link(machine::Routes& routes, std::int32_t count, const std::function<std::int32_t(std::int32_t)>& member);

/// The machine with that link between all ranks of the question, each on a node of its own. As it is where it has no such
/// system, or where the ranks have no place in it.
machine::Machine flattened(const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict
