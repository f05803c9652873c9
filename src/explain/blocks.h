// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contribution of each basic block of a compiled program (Clement, Quinn 1997, section 4). The seconds of
// a stretch of computing are divided among the blocks executed in it, by their weighted operations.
// docs/models/explain.md.

#include <map>
#include <optional>
#include <vector>

#include "explain/explain.h"
#include "predict/equation/solve.h"

namespace parcast::explain {

/// Returns the contributions, largest first. With a row for each stretch without known blocks, they sum to
/// computing and memory of the answer. Empty if the model has no blocks.
std::vector<BlockContribution> block_contributions(const program::Model& model,
                                                   const predict::SolvedFormulas& solution);

/// Returns the share of the blocks' computing and memory by tier; no tier: not counted. Empty without blocks.
std::map<std::optional<program::CountTier>, double> shares_by_tier(
    const std::vector<BlockContribution>& blocks);

}  // namespace parcast::explain
