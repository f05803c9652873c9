// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computes executions of the blocks of one function per visit from the flow through its graph. Loops are
// resolved from the outside to the inside, and each block per round of its loop.
// docs/models/source_counts.md.

#include <optional>
#include <vector>

#include "source/counts/block_counts.h"
#include "source/counts/count_parts.h"
#include "source/counts/function_flows.h"

namespace parcast::program {

/// `calls`: executions of the blocks that call the function, per visit, if these are all its calls. `flows`:
/// by sighting.
PlaceCounts function_counts(const Surroundings& surroundings, facts::FunctionPlace place,
                            const std::vector<const Sighting*>& sightings, std::vector<Flows> flows,
                            const std::optional<SourceCount>& calls);

}  // namespace parcast::program
