// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the processes of a node have resident together. docs/models/memory.md, Memory of a node.

#include <optional>

#include "predict/prediction.h"

namespace parcast::predict {

/// Bytes resident at most on the node whose ranks need most, by what the recordings' processes had. Nothing where the model does not tell
/// (written programs, recordings without it), or where its growth has no value.
std::optional<Estimate> memory_per_node(const program::Model& model, const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict
