// SPDX-License-Identifier: Apache-2.0
#pragma once
// Estimates branch mispredictions. docs/models/pure_costs.md.

#include <vector>

#include "source/counts/function_flows.h"
#include "source/facts/facts.h"

namespace parcast::program {

/// Returns the part of a block's executions, 0 to 1, that did not take the most frequent way, from the flows
/// by sighting. Returns 0 if the block does not end in a branch. Also returns 0 if the branch decides between
/// another round of a loop and its exit: that is mispredicted once per loop, which is not a part of its
/// rounds. A static prediction errs this often. A predictor that learns errs as often only if the way does
/// not depend on earlier ones.
double mispredicted_part(const facts::Function& function, int block, const std::vector<Flows>& flows);

}  // namespace parcast::program
