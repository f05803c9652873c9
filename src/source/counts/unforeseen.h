// SPDX-License-Identifier: Apache-2.0
#pragma once
// Branches that a processor foresees wrongly. docs/models/pure_costs.md.

#include <vector>

#include "source/counts/function_flows.h"
#include "source/facts/facts.h"

namespace parcast::program {

/// The part of a block's executions, 0 to 1, that went on another way than most of them did, by what flowed in some runs (by
/// sighting). 0 where the block ends in no branch, and where its branch decides on another round of a loop or on leaving one: that
/// is not foreseen once per loop, which no part of its rounds tells. A best guess that never changes errs as often; one that learns
/// as often only where ways do not follow from those taken before.
double unforeseen_part(const facts::Function& function, int block, const std::vector<Flows>& flows);

}  // namespace parcast::program
