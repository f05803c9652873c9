// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the smallest set of arcs to count from which the executions of all blocks of a function follow
// (Knuth and Stevenson, BIT 13, 1973). The flow into a point equals the flow out of it, so it is enough to
// count the arcs outside a spanning tree. The tree takes the arcs that are most expensive to count.
// docs/models/block_counts.md.
//
// A block is also an arc, from its entry to its end. Arcs may leave the function in the middle of a block: a
// call that throws, exits or jumps away. Points connected by an arc that cannot be counted are joined into
// one point.

#include <cstdint>
#include <optional>
#include <vector>

namespace parcast::facts {

using Point = std::int32_t;

struct Arc {
  Point from = 0, to = 0;
  double cost = 0;        // cost of counting it, in any unit
  bool countable = true;  // false: nothing can be inserted on it, and its flow is not needed
};

/// Returns for each arc whether it is counted. Points are numbered from 0 to `points` - 1. Among arcs of
/// equal cost the later one is counted.
std::vector<bool> arcs_to_count(Point points, const std::vector<Arc>& arcs);

/// Joins points connected by arcs that cannot be counted. Returns for each point the lowest point of its
/// group.
std::vector<Point> joined_points(Point points, const std::vector<Arc>& arcs);

/// Computes all flows from the counted ones. A flow is empty if its arc is not countable or if the counted
/// arcs do not determine it. Number may be any type with + and -; flows of counters are modulo 2^64.
template <class Number>
std::vector<std::optional<Number>> all_flows(Point points, const std::vector<Arc>& arcs,
                                             const std::vector<std::optional<Number>>& counted) {
  const std::vector<Point> joined = joined_points(points, arcs);
  std::vector<Number> surplus(static_cast<std::size_t>(points),
                              Number{});  // known inflow minus known outflow
  std::vector<std::vector<std::size_t>> unknown(static_cast<std::size_t>(points));
  std::vector<std::optional<Number>> flows(arcs.size());
  const auto put = [&](std::size_t i, Number flow) {
    surplus[joined[arcs[i].from]] = surplus[joined[arcs[i].from]] - flow;
    surplus[joined[arcs[i].to]] = surplus[joined[arcs[i].to]] + flow;
    flows[i] = std::move(flow);
  };
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (!arcs[i].countable) continue;
    const Point from = joined[arcs[i].from], to = joined[arcs[i].to];
    if (counted[i]) {
      put(i, *counted[i]);
    } else if (from != to) {
      unknown[from].push_back(i);
      unknown[to].push_back(i);
    }
  }
  std::vector<std::size_t> left;
  std::vector<Point> leaves;
  for (Point point = 0; point < points; ++point) {
    left.push_back(unknown[point].size());
    if (left.back() == 1) leaves.push_back(point);
  }
  while (!leaves.empty()) {
    const Point leaf = leaves.back();
    leaves.pop_back();
    if (left[leaf] != 1) continue;
    std::size_t i = 0;
    for (const std::size_t arc : unknown[leaf])
      if (!flows[arc]) i = arc;
    const Point from = joined[arcs[i].from], other = from == leaf ? joined[arcs[i].to] : from;
    put(i, from == leaf ? surplus[leaf] : Number{} - surplus[leaf]);
    --left[leaf];
    if (--left[other] == 1) leaves.push_back(other);
  }
  return flows;
}

}  // namespace parcast::facts
