// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps of ranks one by one, as recorded, for programs whose order of operations follows no rule.
// docs/models/structure.md, "Copies of a recorded run".

#include <vector>

#include "structure/align.h"

namespace parcast::program {

/// Limit on the steps of all ranks together. A longer order is not kept.
inline constexpr std::size_t kMostCopiedSteps = 1 << 15;

/// Returns the runs on most processes whose ranks have the order of the last of them: that of the largest
/// parameters. Other runs may differ in rounds and bytes only.
std::vector<TracedRun> runs_in_order_of_last(const Tokens& tokens);

/// Returns the steps of rank 0, then those of rank 1, and so on; each is of the ranks r with r mod p = that
/// rank. `tokens`: of runs that runs_in_order_of_last() returned. Fails for more than kMostCopiedSteps.
Result<std::vector<Draft>> steps_of_each_rank(const Tokens& tokens);

}  // namespace parcast::program
