// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which few executions to count, so that those of all blocks of a function follow (Knuth and Stevenson, BIT
// 13, 1973: what flows into a point flows out of it, so counting the arcs outside a spanning tree is enough;
// the tree takes the arcs that would be dearest to count). docs/models/block_counts.md.
//
// A block is an arc as well, from its entry to its end, and arcs may leave the function in its middle: a call
// that throws, exits or jumps away. Points between which something flows that no one can count are joined
// into one point.

#include <cstdint>
#include <optional>
#include <vector>

namespace parcast::facts {

using Point = std::int32_t;

struct Arc {
  Point from = 0, to = 0;
  double cost = 0;        // of counting it, in any unit
  bool countable = true;  // false: nothing can be inserted on it, and its flow is asked by no one
};

/// Of each arc whether it is counted. Points are numbered from 0 to `points` - 1; among equal costs the arc
/// that stands later is counted.
std::vector<bool> arcs_to_count(Point points, const std::vector<Arc>& arcs);

/// The flow of every arc from those counted; nothing for arcs that are not countable. An error in `counted`
/// (flows that contradict each other cannot arise: each is an independent count). Arithmetic is modulo 2^64,
/// as the counters'.
std::vector<std::optional<std::uint64_t>> all_flows(Point points, const std::vector<Arc>& arcs,
                                                    const std::vector<std::optional<std::uint64_t>>& counted);

}  // namespace parcast::facts
