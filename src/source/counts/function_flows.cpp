// SPDX-License-Identifier: Apache-2.0
#include "source/counts/function_flows.h"

#include <algorithm>
#include <map>

namespace parcast::program {

FunctionFlows::FunctionFlows(const facts::LinkedProgram& program, facts::FunctionPlace place,
                             std::vector<Flows> measured)
    : program_(program),
      place_(place),
      function_(program.at(place)),
      measured_(std::move(measured)),
      resumption_(function_.blocks.size()),
      open_(function_.loops.size()) {
  find_ends();
  for (std::size_t arc = function_.blocks.size(); arc < function_.arcs.size(); ++arc) {
    const auto [from, to] = ends(arc);
    if (function_.arcs[arc].from == 0 && function_.arcs[arc].to % 2 == 0 && to >= 0)
      resumption_[static_cast<std::size_t>(to)] = arc;
    else if (from >= 0 && to >= 0)
      edges_.push_back(arc);
  }
  // A loop is open if it continues from one sighting to another. Then it is left more often than entered, or
  // its blocks are executed without an entry.
  for (int loop = 0; loop < static_cast<int>(open_.size()); ++loop)
    for (std::size_t o = 0; o < measured_.size() && !open_[loop]; ++o)
      open_[loop] = entries(o, loop) < leaves(o, loop) || (entries(o, loop) == 0 && active(o, loop));
  possible_ = find_equal(Ways::possible);
  taken_ = find_equal(Ways::taken);
}

namespace {

// Arithmetic modulo a Mersenne prime.
constexpr std::uint64_t kFlowPrime = (std::uint64_t{1} << 61) - 1;
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return (a + b) % kFlowPrime;
}
std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return (a + kFlowPrime - b) % kFlowPrime;
}
__extension__ using WideProduct = unsigned __int128;
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<WideProduct>(a) * b % kFlowPrime);
}
// Returns a pseudo-random number for each argument (S. Vigna's splitmix64).
std::uint64_t number_for(std::uint64_t what) {
  what = (what + 1) * 0x9e3779b97f4a7c15u;
  what = (what ^ what >> 30) * 0xbf58476d1ce4e5b9u;
  what = (what ^ what >> 27) * 0x94d049bb133111ebu;
  return (what ^ what >> 31) % kFlowPrime;
}

}  // namespace

bool FunctionFlows::in_open_loop(int block) const {
  for (int loop = function_.blocks[block].loop.value_or(kTop); loop != kTop;
       loop = function_.loops[loop].in.value_or(kTop))
    if (open_[loop]) return true;
  return false;
}

// Each way out of a block or loop receives a random part of what leaves, and the last way the rest. Blocks
// that then have equal amounts have them for any parts. This tests the equality of two polynomials in the
// parts at one random point.
std::vector<int> FunctionFlows::find_equal(Ways ways) const {
  std::vector<int> first(function_.blocks.size());
  std::vector<std::uint64_t> amount(function_.blocks.size()), along(function_.arcs.size());
  std::map<std::pair<int, std::uint64_t>, int> known;  // by loop and amount
  const auto open_to = [&](std::size_t arc) { return ways == Ways::possible ? !fatal(arc) : used(arc); };
  // `all`: nothing leaves by other ways.
  const auto share_out = [&](const std::vector<std::size_t>& arcs, std::uint64_t what, bool all) {
    std::uint64_t rest = what;
    for (std::size_t k = 0; k < arcs.size(); ++k) {
      along[arcs[k]] = all && k + 1 == arcs.size() ? rest : times(what, number_for(2 * arcs[k]));
      rest = minus(rest, along[arcs[k]]);
    }
  };
  for (int block = 0; block < static_cast<int>(function_.blocks.size()); ++block) {
    const int loop = context(block);
    std::uint64_t arriving = block == 0 ? 1 : 0;
    std::vector<std::size_t> forward;
    bool elsewhere = false;
    for (const std::size_t arc : edges_) {
      if (!open_to(arc)) continue;
      const auto [from, to] = ends(arc);
      if (to == block && (!heads(block) || !inside(from, loop))) arriving = plus(arriving, along[arc]);
      if (from != block) continue;
      const bool back = heads(to) && inside(block, context(to));
      if (!back && (loop == kTop || inside(to, loop)))
        forward.push_back(arc);
      else
        elsewhere = true;
    }
    if (heads(block)) {
      std::vector<std::size_t> ways_out;
      bool further = false;
      for (const std::size_t arc : edges_) {
        const auto [from, to] = ends(arc);
        if (!open_to(arc) || !inside(from, loop) || inside(to, loop)) continue;
        const int outer = around(loop);
        if (outer != kTop && !inside(to, outer))
          further = true;
        else
          ways_out.push_back(arc);
      }
      share_out(ways_out, arriving, !further);
    }
    std::uint64_t& here = amount[static_cast<std::size_t>(block)];
    here = in_open_loop(block) ? number_for(2 * static_cast<std::uint64_t>(block) + 1)
           : heads(block)      ? 1
                               : arriving;
    share_out(forward, here, !elsewhere);
    first[static_cast<std::size_t>(block)] = known.try_emplace({loop, here}, block).first->second;
  }
  return first;
}

// All edges are visited for each block and loop, so their properties are computed in advance.
void FunctionFlows::find_ends() {
  const auto block = [](facts::Point point) { return point == 0 ? -1 : (point - 1) / 2; };
  for (std::size_t arc = 0; arc < function_.arcs.size(); ++arc) {
    const auto invoked = function_.invoked.find(arc);
    ends_.emplace_back(invoked == function_.invoked.end() ? block(function_.arcs[arc].from) : invoked->second,
                       block(function_.arcs[arc].to));
    used_.push_back(
        std::ranges::any_of(measured_, [&](const Flows& flows) { return flows[arc].value_or(0) > 0; }));
    fatal_.push_back(!used_.back() && ends_.back().second >= 0 &&
                     (program_.only_fails(place_, ends_.back().second) || !program_.may_unwind(place_, arc)));
  }
}

std::vector<bool> FunctionFlows::behind(const std::vector<bool>& blocks) const {
  std::vector<bool> reached(blocks.size());
  for (bool more = true; more;) {
    more = false;
    for (const std::size_t arc : edges_) {
      const auto [from, to] = ends(arc);
      if (from >= 0 && to >= 0 && resumption_[static_cast<std::size_t>(from)] != arc &&
          (blocks[from] || reached[from]) && !reached[to])
        reached[to] = more = true;
    }
  }
  return reached;
}

int FunctionFlows::closed(int loop) const {
  while (loop != kTop && open_[loop]) loop = function_.loops[loop].in.value_or(kTop);
  return loop;
}
int FunctionFlows::around(int loop) const {
  return closed(function_.loops[loop].in.value_or(kTop));
}
int FunctionFlows::context(int block) const {
  return closed(function_.blocks[block].loop.value_or(kTop));
}

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

bool FunctionFlows::left_by_data(int loop) const {
  return std::ranges::any_of(edges_, [&](std::size_t arc) {
    const auto [from, to] = ends(arc);
    return used(arc) && by_data(from) && inside(from, loop) && !inside(to, loop);
  });
}

bool FunctionFlows::data_within(int loop) const {
  std::map<int, int> ways;  // numbers of ways taken, by block
  for (const std::size_t arc : edges_)
    if (const int from = ends(arc).first; used(arc) && by_data(from) && (loop == kTop || inside(from, loop)))
      ++ways[from];
  return std::ranges::any_of(ways, [](const auto& each) { return each.second > 1; });
}

bool FunctionFlows::seen(int block) const {
  return used(static_cast<std::size_t>(block));
}

std::uint64_t entries_of(const facts::Function& function, const Flows& flows) {
  for (std::size_t arc = function.blocks.size(); arc < function.arcs.size(); ++arc)
    if (function.arcs[arc].from == 0 && function.arcs[arc].to == 1 && !function.invoked.contains(arc))
      return flows[arc].value_or(0);
  return flows[0].value_or(0);
}

std::uint64_t FunctionFlows::entries_of_function(std::size_t o) const {
  return entries_of(function_, measured_[o]);
}

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
