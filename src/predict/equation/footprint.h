// SPDX-License-Identifier: Apache-2.0
#pragma once
// The data of a process, in bytes. docs/models/memory.md.

#include <optional>

#include "model/model.h"

namespace parcast::predict {

/// Returns the arrays that the program's code accesses, if it was compiled to record them. Otherwise returns
/// what of the memory that grew during the runs, or else of the peak, follows the recordings' parameters.
/// Returns nothing when neither is known, and when that part is within twice the residual error of the fit.
std::optional<symbolic::Expression> footprint_of(const program::Model& model);

}  // namespace parcast::predict
