// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collectives whose tables were measured with processes that lay on nodes otherwise than those of a question (docs/models/communication.md, Placement).

#include <vector>

#include "predict/prediction.h"

namespace parcast::predict {

/// A warning "other-placement" for each placement that tables were measured with and the question does not have. None for machines that do not say it.
/// Of the members of a smaller communicator only what holds of all processes is known: that they are on one node, or each on its own.
std::vector<Warning> placement_warnings(const program::Model& model, const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict
