// SPDX-License-Identifier: Apache-2.0
#pragma once
// Resident memory of the processes of a node together. docs/models/memory.md, "Memory of a node".

#include <optional>

#include "predict/prediction.h"

namespace parcast::predict {

/// Returns the peak resident bytes on the node whose ranks need most, from the residence of the recorded
/// processes. Returns nothing when the model has no residence (written programs, recordings without it), or
/// when its growth has no value.
std::optional<Estimate> memory_per_node(const program::Model& model, const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict
