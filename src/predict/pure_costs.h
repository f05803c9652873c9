// SPDX-License-Identifier: Apache-2.0
#pragma once
// Prices computing by its operations alone: t = chi x beta (Clement, Quinn 1997, section 3). These prices
// replace measured seconds scaled by operations. docs/models/pure_costs.md.

#include "base/result.h"
#include "machine/machine.h"
#include "model/model.h"

namespace parcast::predict {

/// Returns the model with prices from the machine. Each segment with known operations costs these at the
/// machine's prices. Data that it streams beyond the first cache cost the bandwidth of the level that holds
/// them. Other segments keep their seconds. Notices give their share of the recorded computing, and name
/// operations without a price of their own. Fails when the model has no operations, or the machine has no
/// prices.
///
/// Overlap::unknown: between all operations in flight at once and each waiting for the previous one.
/// Overlap::full: all operations in flight at once; `parcast regress` scales this by the ratio that real
/// programs reach.
enum class Overlap { unknown, full };
Result<program::Model> with_pure_costs(const program::Model& model, const machine::Machine& machine,
                                       Overlap overlap = Overlap::unknown);

}  // namespace parcast::predict
