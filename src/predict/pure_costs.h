// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing priced by its operations alone: t = chi x beta (Clement, Quinn 1997, section 3), in the place of measured seconds that
// are scaled by it. docs/models/pure_costs.md.

#include "base/result.h"
#include "machine/machine.h"
#include "model/model.h"

namespace parcast::predict {

/// The model with each stretch of computing of which operations are known costing these at the machine's prices, and what it
/// streams beyond the first cache at the bandwidth of the level that holds the data. Other stretches keep their seconds; notices
/// say what share of the recorded computing these had, and which operations have no price of their own. An error when the model
/// knows no operations, or the machine has no prices.
///
/// Overlap::untold: anywhere between all operations under way and each waiting for the one before; full: the former alone, which
/// `parcast regress` scales by how much of it real programs take.
enum class Overlap { untold, full };
Result<program::Model> with_pure_costs(const program::Model& model, const machine::Machine& machine, Overlap overlap = Overlap::untold);

}  // namespace parcast::predict
