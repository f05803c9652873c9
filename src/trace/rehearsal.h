// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run without times: who can go on does, until all have ended. A recorded run ended, so where its trace does not, the trace is
// at fault: something is missing in it, or the steps of a rank's threads stand in an order that never was. The rehearsal finds
// what is missing, and an order in which all can end. docs/models/replay.md has the rules.

#include <cstdint>
#include <span>
#include <vector>

#include "trace/lanes.h"
#include "trace/trace.h"

namespace parcast::trace {

/// An operation that nothing lets end. A receive, probe or collective is left out; a send is made a buffered one.
struct Missing {
  std::int32_t rank = 0;
  std::uint32_t lane = 0;
  std::uint64_t number = 0;      // of the operations of that lane, waits included, from 0
  std::uint32_t operation = 0;   // index into Trace::operations: of a request the one that began it
  std::int32_t partner = -1;     // rank that never did its part; of a collective the first of them
};

struct Rehearsal {
  /// Of ranks with lanes: 2 * lane where the lane's next step begins, 2 * lane + 1 where it ends (steps that stay).
  std::vector<std::vector<std::uint32_t>> order;
  std::vector<Missing> missing;  // by rank, lane and number

  bool changes(std::int32_t rank) const;
};

/// `lanes`: of each rank. The trace names all partners; a receive from any source, or of any tag, waits for nobody here.
Rehearsal rehearse(const Trace& trace, std::span<const RankLanes> lanes);

/// The trace in that order, without what is missing. `trace` may differ from the one that was rehearsed in whom it receives from.
Result<Trace> as_rehearsed(const Trace& trace, std::span<const RankLanes> lanes, const Rehearsal& rehearsal);

}  // namespace parcast::trace
