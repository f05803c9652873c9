// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which ranks can be the slowest, and what each contribution is on them.

#include "predict/equation/contributions.h"

namespace parcast::predict {

/// Ranks that stand for all: every rank up to a bound, else the corners, edges and middle of the process grids and both
/// ends of the numbering. Counts are largest or smallest there for block and cyclic distributions.
/// `grids` are the extents of the grids whose symbols occur.
std::vector<std::int32_t> candidate_ranks(const std::vector<std::vector<std::int32_t>>& grids, std::int32_t processes,
                                          bool depends_on_rank);
constexpr std::int32_t kAllRanksUpTo = 64;

/// seconds[contribution][candidate].
using RankValues = std::vector<std::vector<double>>;

/// One interval between calls of all ranks, over the whole run.
struct IntervalTime {
  program::NodeId closing = program::kNone;
  std::size_t slowest = 0;      // candidate whose own time is largest
  double chain = 0;             // its time: a lower bound
  double phases = 0;            // sum over phases of the slowest rank's time: an upper bound without chained receives
};
std::vector<IntervalTime> interval_times(const Contributions& contributions, const RankValues& values);

}  // namespace parcast::predict
