// SPDX-License-Identifier: Apache-2.0
#pragma once
// Estimates how often a branch takes one of its ways when no formula gives the decision, with a confidence
// interval (Clement, Quinn 1997, section 2: branch ratios). docs/models/source_counts.md, Branches.

#include <cstdint>
#include <span>

namespace parcast::program {

/// Counts in one process of one run: how often the branch was executed, and how often it took this way.
struct Ways {
  std::uint64_t taken = 0, all = 0;
};

struct BranchRatio {
  double ratio = 0, low = 0, high = 1;  // 0 .. 1
  bool by_chance = false;  // only one process executed it: the interval assumes independent executions
};

/// Returns the ratio with Wilson's interval at `level`. The number of independent executions is estimated
/// from the spread between processes and runs (Korn, Graubard 1998) and limited to the number of executions.
/// At least one `all` must be positive.
BranchRatio branch_ratio(std::span<const Ways> ways, double level);

}  // namespace parcast::program
