// SPDX-License-Identifier: Apache-2.0
#pragma once
// The data of a process, in bytes. docs/models/memory.md.

#include <optional>

#include "model/model.h"

namespace parcast::predict {

/// The arrays that the program's own code goes through, where it was compiled to tell; else what was resident as far as it
/// grew with the recordings' parameters. Nothing where neither is known.
std::optional<symbolic::Expression> footprint_of(const program::Model& model);

}  // namespace parcast::predict
