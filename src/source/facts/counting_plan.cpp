// SPDX-License-Identifier: Apache-2.0
#include "source/facts/counting_plan.h"

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

std::vector<Point> joined_points(Point points, const std::vector<Arc>& arcs) {
  Joined joined = joined_by_uncountable(points, arcs);
  std::vector<Point> of(points);
  for (Point point = 0; point < points; ++point) of[point] = joined.of(point);
  return of;
}

}  // namespace parcast::facts
