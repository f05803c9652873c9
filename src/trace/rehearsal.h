// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a trace without times: every rank that can continue does so, until all have ended. A recorded run did
// end. If its trace cannot end, the trace is wrong: operations are missing, or the steps of a rank's threads
// are in an order that never occurred. The rehearsal finds what is missing, and an order in which all ranks
// can end. docs/models/replay.md has the rules.

#include <cstdint>
#include <span>
#include <vector>

#include "trace/lanes.h"
#include "trace/trace.h"

namespace parcast::trace {

/// An operation that can never end. A receive, probe or collective is left out; a send becomes a buffered
/// send.
struct Missing {
  std::int32_t rank = 0;
  std::uint32_t lane = 0;
  std::uint64_t number = 0;  // position among the operations of that lane, waits included, from 0
  // index into Trace::operations; for a request the operation that began it
  std::uint32_t operation = 0;
  // rank that never did its part; for a collective the first such rank
  std::int32_t partner = -1;
};

struct Rehearsal {
  /// For ranks with lanes: 2 * lane where the lane's next step begins, 2 * lane + 1 where it ends (only for
  /// steps that the thread stays in).
  std::vector<std::vector<std::uint32_t>> order;
  std::vector<Missing> missing;  // sorted by rank, lane and number

  bool changes(std::int32_t rank) const;
};

/// `lanes`: one per rank. The trace must name all partners: a receive from any source or with any tag does
/// not wait here.
Rehearsal rehearse(const Trace& trace, std::span<const RankLanes> lanes);

/// Returns the trace in the rehearsed order, without the missing operations. `trace` may differ from the
/// rehearsed one in the sources and tags of its receives.
Result<Trace> as_rehearsed(const Trace& trace, std::span<const RankLanes> lanes, const Rehearsal& rehearsal);

}  // namespace parcast::trace
