// SPDX-License-Identifier: Apache-2.0
#include "source/counts/mispredicted.h"

#include <algorithm>

#include "source/counts/inside.h"

namespace parcast::program {
namespace {

/// Returns whether the way leads back to the head of a loop around the block, or out of one.
bool ends_a_round(const facts::Function& function, int block, int next) {
  for (std::optional<int> at = function.blocks[static_cast<std::size_t>(block)].loop; at;
       at = function.loops[static_cast<std::size_t>(*at)].in)
    if (function.loops[static_cast<std::size_t>(*at)].head == next || !inside(function, next, *at))
      return true;
  return false;
}

}  // namespace

double mispredicted_part(const facts::Function& function, int block, const std::vector<Flows>& flows) {
  const facts::Point end = 2 + 2 * block;
  std::vector<double> ways;
  for (std::size_t arc = function.blocks.size(); arc < function.arcs.size(); ++arc) {
    if (function.arcs[arc].from != end || function.invoked.contains(arc)) continue;
    const facts::Point to = function.arcs[arc].to;
    if (to == 0 || ends_a_round(function, block, (to - 1) / 2)) return 0;
    double taken = 0;
    for (const Flows& each : flows) taken += static_cast<double>(each[arc].value_or(0));
    ways.push_back(taken);
  }
  double all = 0;
  for (const double way : ways) all += way;
  return all > 0 ? 1 - std::ranges::max(ways) / all : 0;
}

}  // namespace parcast::program
