// SPDX-License-Identifier: Apache-2.0
#pragma once
// What each basic block of a compiled program brings (Clement, Quinn 1997, section 4): the seconds of a stretch of computing
// are shared out among the blocks that are executed in it by their weighted operations. docs/models/explain.md.

#include <map>
#include <optional>
#include <vector>

#include "explain/explain.h"
#include "predict/equation/solve.h"

namespace parcast::explain {

/// Largest first. With what no block is known of, a row per stretch, they sum to computing and memory of the answer; empty where
/// the model knows no blocks.
std::vector<BlockContribution> block_contributions(const program::Model& model, const predict::Solution& solution);

/// Share of their computing and memory by tier; none: not counted. Empty without blocks.
std::map<std::optional<program::CountTier>, double> shares_by_tier(const std::vector<BlockContribution>& blocks);

}  // namespace parcast::explain
