// SPDX-License-Identifier: Apache-2.0
#pragma once
// Candidates for the slowest rank, and each contribution on them.

#include "predict/equation/contributions.h"

namespace parcast::predict {

/// Returns the ranks that represent all. Up to a bound these are all ranks. Above it they are the corners,
/// edges and middle of the process grids and both ends of the numbering: counts of block and cyclic
/// distributions are largest or smallest there. `grids` are the extents of the grids whose symbols occur.
std::vector<std::int32_t> candidate_ranks(const std::vector<std::vector<std::int32_t>>& grids,
                                          std::int32_t processes, bool depends_on_rank);
constexpr std::int32_t kAllRanksUpTo = 64;

/// seconds[contribution][candidate].
using RankValues = std::vector<std::vector<double>>;

/// One interval between calls of all ranks, over the complete run.
struct IntervalTime {
  program::NodeId closing = program::kNone;
  std::size_t slowest = 0;  // candidate whose own time is largest
  double chain = 0;         // its time: a lower bound
  // Sum over phases of the slowest rank's time: an upper bound without chained receives.
  double phases = 0;
};
std::vector<IntervalTime> interval_times(const Contributions& contributions, const RankValues& values);

}  // namespace parcast::predict
