// SPDX-License-Identifier: Apache-2.0
#include "program/blocks/function_flows.h"

#include <algorithm>

namespace parcast::program {

FunctionFlows::FunctionFlows(const facts::LinkedProgram& program, facts::FunctionPlace place,
                             std::vector<Flows> measured)
    : program_(program),
      place_(place),
      function_(program.at(place)),
      measured_(std::move(measured)),
      resumption_(function_.blocks.size()),
      open_(function_.loops.size()) {
  for (std::size_t arc = function_.blocks.size(); arc < function_.arcs.size(); ++arc) {
    const auto [from, to] = ends(arc);
    if (function_.arcs[arc].from == 0 && function_.arcs[arc].to % 2 == 0 && to >= 0)
      resumption_[static_cast<std::size_t>(to)] = arc;
    else if (from >= 0 && to >= 0)
      edges_.push_back(arc);
  }
  // A loop that is left more often than it is entered, or in which something is executed without its being entered, goes on
  // from one sighting to another.
  for (int loop = 0; loop < static_cast<int>(open_.size()); ++loop)
    for (std::size_t o = 0; o < measured_.size() && !open_[loop]; ++o)
      open_[loop] = entries(o, loop) < leaves(o, loop) || (entries(o, loop) == 0 && active(o, loop));
}

std::pair<int, int> FunctionFlows::ends(std::size_t arc) const {
  const auto block = [](facts::Point point) { return point == 0 ? -1 : (point - 1) / 2; };
  const auto invoked = function_.invoked.find(arc);
  return {invoked == function_.invoked.end() ? block(function_.arcs[arc].from) : invoked->second,
          block(function_.arcs[arc].to)};
}

bool FunctionFlows::fatal(std::size_t edge) const {
  return !used(edge) && program_.only_fails(place_, ends(edge).second);
}

int FunctionFlows::closed(int loop) const {
  while (loop != kTop && open_[loop]) loop = function_.loops[loop].in.value_or(kTop);
  return loop;
}
int FunctionFlows::around(int loop) const { return closed(function_.loops[loop].in.value_or(kTop)); }
int FunctionFlows::context(int block) const { return closed(function_.blocks[block].loop.value_or(kTop)); }

bool FunctionFlows::inside(int block, int loop) const {
  int at = function_.blocks[block].loop.value_or(kTop);
  while (at != kTop && at != loop) at = function_.loops[at].in.value_or(kTop);
  return at == loop;
}

bool FunctionFlows::heads(int block) const {
  return context(block) != kTop && function_.loops[context(block)].head == block;
}

bool FunctionFlows::single_exit(int loop) const {
  return std::count_if(edges_.begin(), edges_.end(), [&](std::size_t arc) {
           return inside(ends(arc).first, loop) && !inside(ends(arc).second, loop) && !fatal(arc);
         }) == 1;
}

bool FunctionFlows::seen(int block) const { return used(static_cast<std::size_t>(block)); }

bool FunctionFlows::used(std::size_t arc) const {
  return std::ranges::any_of(measured_, [&](const Flows& flows) { return flows[arc].value_or(0) > 0; });
}

std::uint64_t entries_of(const facts::Function& function, const Flows& flows) {
  for (std::size_t arc = function.blocks.size(); arc < function.arcs.size(); ++arc)
    if (function.arcs[arc].from == 0 && function.arcs[arc].to == 1 && !function.invoked.contains(arc))
      return flows[arc].value_or(0);
  return flows[0].value_or(0);
}

std::uint64_t FunctionFlows::entries_of_function(std::size_t o) const { return entries_of(function_, measured_[o]); }

std::uint64_t FunctionFlows::entries(std::size_t o, int loop) const {
  const int head = function_.loops[loop].head;
  std::uint64_t back = 0;
  for (const std::size_t arc : edges_)
    if (ends(arc).second == head && inside(ends(arc).first, loop)) back += flow(o, arc);
  return executions(o, head) - back;
}

bool FunctionFlows::active(std::size_t o, int loop) const {
  for (int block = 0; block < static_cast<int>(function_.blocks.size()); ++block)
    if (executions(o, block) > 0 && inside(block, loop)) return true;
  return false;
}

std::uint64_t FunctionFlows::leaves(std::size_t o, int loop) const {
  std::uint64_t out = 0;
  for (std::size_t arc = function_.blocks.size(); arc < function_.arcs.size(); ++arc)
    if (const auto [from, to] = ends(arc); from >= 0 && inside(from, loop) && (to < 0 || !inside(to, loop)))
      out += flow(o, arc);
  return out;
}

}  // namespace parcast::program
