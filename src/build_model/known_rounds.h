// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rounds of loops that the order of operations takes from all recordings. The order is found in runs of
// several processes; a number of iterations that only runs of one process vary looks like a constant there.
// docs/models/structure.md.

#include "model/model.h"
#include "model/structure.h"

namespace parcast::program {

/// Gives each loop that every rank executes the rounds that the model counts for an operation of its body, if
/// both are equal in every recorded run of several processes.
void take_known_rounds(const Model& model, Structure& structure);

}  // namespace parcast::program
