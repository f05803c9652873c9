// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing that the order of operations takes from the model's segments. Both are fitted to the same times,
// but the order's stretches differ by rank: one that has no partner in a direction goes on to its next
// operation. Their fits have fewer data, and would part from those of the segments beyond the recordings.
// docs/models/structure.md, "Computing".

#include "model/model.h"
#include "model/structure.h"

namespace parcast::program {

/// Gives the computing between two operations the sum of the costs of the model's segments between them, if
/// there is one way through calls that are no operations there. Calls without an operation, and messages to a
/// neighbour that some ranks do not have, are such calls. Other computing keeps its fit.
void take_known_costs(const Model& model, Structure& structure);

}  // namespace parcast::program
