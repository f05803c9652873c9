// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often a branch of which nothing tells the way goes one way, and how sure that is (Clement, Quinn 1997, section 2: branch ratios).
// docs/models/source_counts.md, Branches.

#include <cstdint>
#include <span>

namespace parcast::program {

/// Of one process in one run: how often the branch was come to, and how often it went that way.
struct Ways {
  std::uint64_t taken = 0, all = 0;
};

struct BranchRatio {
  double ratio = 0, low = 0, high = 1;  // 0 .. 1
  bool by_chance = false;               // one process came there: the interval holds only if each time is by itself
};

/// Wilson's interval at `level` with the number of independent times that the spread between processes and runs tells (Korn, Graubard 1998),
/// no more than the times themselves. Some `all` is positive.
BranchRatio branch_ratio(std::span<const Ways> ways, double level);

}  // namespace parcast::program
