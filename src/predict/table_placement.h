// SPDX-License-Identifier: Apache-2.0
#pragma once
// Warns of collectives whose tables were measured with processes placed on nodes differently from those of a
// question (docs/models/communication.md, "Placement").

#include <vector>

#include "predict/prediction.h"

namespace parcast::predict {

/// Returns a warning "other-placement" for each placement with which tables were measured and which the
/// question does not have. Returns none for machines without recorded placements. The members of a smaller
/// communicator have a known placement only when all processes are on one node, or each is on its own.
std::vector<Warning> placement_warnings(const program::Model& model, const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict
