// SPDX-License-Identifier: Apache-2.0
#include "machine/placement.h"

#include <algorithm>
#include <vector>

namespace parcast::machine {

Spread spread_of(std::int32_t nodes, std::int32_t ranks_per_node) {
  if (nodes <= 1) return Spread::one_node;
  return ranks_per_node <= 1 ? Spread::one_per_node : Spread::several_per_node;
}

std::string spread_text(std::int32_t nodes, std::int32_t ranks_per_node) {
  switch (spread_of(nodes, ranks_per_node)) {
    case Spread::one_node:
      return "all processes on one node";
    case Spread::one_per_node:
      return "one process on each node";
    case Spread::several_per_node:
      break;
  }
  return "up to " + std::to_string(ranks_per_node) + " processes on each of " + std::to_string(nodes) +
         " nodes";
}

std::optional<MeasuredPlacement> placed_otherwise(const Machine& machine, const PatternCost& table,
                                                  double members, Spread asked) {
  std::vector<MeasuredPlacement> known;
  for (const MeasuredPlacement& each : machine.placements)
    if (each.processes > 1 &&
        std::any_of(table.points.begin(), table.points.end(),
                    [&](const CostPoint& point) { return point.processes == each.processes; }))
      known.push_back(each);
  // The cost at a number of processes depends on the nearest measured counts on both sides; beyond the last
  // count, on that count only.
  std::int32_t below = 0, above = 0;
  for (const MeasuredPlacement& each : known) {
    if (each.processes <= members) below = std::max(below, each.processes);
    if (each.processes >= members) above = above == 0 ? each.processes : std::min(above, each.processes);
  }
  std::optional<MeasuredPlacement> other;
  for (const MeasuredPlacement& each : known) {
    if (each.processes != below && each.processes != above) continue;
    if (spread_of(each.nodes, each.ranks_per_node) == asked) return std::nullopt;
    if (!other) other = each;
  }
  return other;
}

}  // namespace parcast::machine
