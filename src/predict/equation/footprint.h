// SPDX-License-Identifier: Apache-2.0
#pragma once
// The data of a process, in bytes. docs/models/memory.md.

#include <optional>

#include "model/model.h"

namespace parcast::predict {

/// Returns the arrays that the program's code accesses, if it was compiled to record them. Otherwise returns
/// the resident memory that grew with the recordings' parameters. Returns nothing when neither is known.
std::optional<symbolic::Expression> footprint_of(const program::Model& model);

}  // namespace parcast::predict
