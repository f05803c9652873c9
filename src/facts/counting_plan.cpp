// SPDX-License-Identifier: Apache-2.0
#include "facts/counting_plan.h"

#include <algorithm>
#include <numeric>

namespace parcast::facts {
namespace {

class Joined {
 public:
  explicit Joined(Point points) : parent_(points) { std::iota(parent_.begin(), parent_.end(), 0); }

  Point of(Point point) {
    while (parent_[point] != point) point = parent_[point] = parent_[parent_[point]];
    return point;
  }
  bool join(Point a, Point b) {
    a = of(a), b = of(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }

 private:
  std::vector<Point> parent_;
};

Joined joined_by_uncountable(Point points, const std::vector<Arc>& arcs) {
  Joined joined(points);
  for (const Arc& arc : arcs)
    if (!arc.countable) joined.join(arc.from, arc.to);
  return joined;
}

}  // namespace

std::vector<bool> arcs_to_count(Point points, const std::vector<Arc>& arcs) {
  Joined joined = joined_by_uncountable(points, arcs);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < arcs.size(); ++i)
    if (arcs[i].countable) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return arcs[a].cost > arcs[b].cost; });
  std::vector<bool> counted(arcs.size(), false);
  for (const std::size_t i : order) counted[i] = !joined.join(arcs[i].from, arcs[i].to);
  return counted;
}

std::vector<std::optional<std::uint64_t>> all_flows(
    Point points, const std::vector<Arc>& arcs, const std::vector<std::optional<std::uint64_t>>& counted) {
  Joined joined = joined_by_uncountable(points, arcs);
  std::vector<std::uint64_t> surplus(points, 0);  // what flows in and is known, less what flows out
  std::vector<std::vector<std::size_t>> unknown(points);
  std::vector<std::optional<std::uint64_t>> flows(arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (!arcs[i].countable) continue;
    const Point from = joined.of(arcs[i].from), to = joined.of(arcs[i].to);
    if (counted[i]) {
      flows[i] = counted[i];
      surplus[from] -= *counted[i];
      surplus[to] += *counted[i];
    } else if (from != to) {
      unknown[from].push_back(i);
      unknown[to].push_back(i);
    }
  }
  std::vector<Point> leaves;
  for (Point point = 0; point < points; ++point)
    if (unknown[point].size() == 1) leaves.push_back(point);
  std::vector<std::size_t> left(points);
  for (Point point = 0; point < points; ++point) left[point] = unknown[point].size();
  while (!leaves.empty()) {
    const Point leaf = leaves.back();
    leaves.pop_back();
    if (left[leaf] != 1) continue;
    const std::size_t i = *std::ranges::find_if(unknown[leaf], [&](std::size_t arc) { return !flows[arc]; });
    const Point from = joined.of(arcs[i].from), to = joined.of(arcs[i].to), other = from == leaf ? to : from;
    flows[i] = from == leaf ? surplus[leaf] : -surplus[leaf];
    surplus[from] -= *flows[i];
    surplus[to] += *flows[i];
    --left[leaf];
    if (--left[other] == 1) leaves.push_back(other);
  }
  return flows;
}

}  // namespace parcast::facts
