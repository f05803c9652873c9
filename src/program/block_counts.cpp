// SPDX-License-Identifier: Apache-2.0
#include "program/block_counts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "symbolic/rational.h"

namespace parcast::program {
namespace {

using facts::Arc;
using facts::Formula;
using facts::Function;
using facts::FunctionPlace;
using symbolic::Expression;
using symbolic::Rational;
using Flows = std::vector<std::optional<std::uint64_t>>;

// A number per visit, exactly; real where it does not fit.
Expression quotient(std::uint64_t a, std::uint64_t b) {
  const auto exact = a <= INT64_MAX && b <= INT64_MAX
                         ? Rational::make(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                         : std::nullopt;
  return exact ? Expression(*exact) : symbolic::real(static_cast<double>(a) / static_cast<double>(b));
}

class FunctionCounts {
 public:
  FunctionCounts(const facts::LinkedProgram& program, FunctionPlace place,
                 const std::vector<const Sighting*>& sightings, std::vector<Flows> flows,
                 const std::function<std::optional<Expression>(const facts::Input&)>& names)
      : program_(program),
        place_(place),
        function_(program.at(place)),
        sightings_(sightings),
        measured_(std::move(flows)),
        names_(names) {
    for (const Arc& arc : function_.arcs) points_ = std::max({points_, arc.from + 1, arc.to + 1});
    known_.resize(function_.arcs.size());
  }

  std::vector<BlockCount> find() {
    while (true) {
      flows_ = facts::all_flows<Expression>(points_, function_.arcs, known_);
      if (!next()) break;
    }
    std::vector<BlockCount> all;
    for (std::size_t block = 0; block < function_.blocks.size(); ++block) {
      if (!seen(block)) continue;
      BlockCount count{place_, static_cast<int>(block), 0, CountTier::measured, ambiguous_};
      const bool exact = flows_[block] && agrees(*flows_[block], block);
      count.per_visit = flows_[block] && (exact || finite(*flows_[block])) ? *flows_[block] : mean(block);
      if (exact)
        count.tier =
            symbolic::free_symbols(count.per_visit).empty() ? CountTier::constant : CountTier::symbolic;
      if (count.tier != CountTier::symbolic) count.ambiguous = false;
      all.push_back(std::move(count));
    }
    return all;
  }

 private:
  bool seen(std::size_t arc) const {
    return std::any_of(measured_.begin(), measured_.end(),
                       [&](const Flows& flows) { return flows[arc].value_or(0) > 0; });
  }

  // The flow of one more arc becomes known: that of a loop's way back by the loop's arithmetic, else that of
  // any arc as a constant part of what it comes from, else as measured. Ways back whose rounds are told wait
  // until what enters the loop is known, and blocks that are entered by ways that nobody counts until nothing
  // else is left.
  bool next() {
    using How = std::optional<Expression> (FunctionCounts::*)(std::size_t);
    enum Kind { kEdge, kToldRounds, kBlock };
    const auto try_all = [&](How how, Kind kind) {
      for (std::size_t arc = 0; arc < function_.arcs.size(); ++arc) {
        const Kind is = arc < function_.blocks.size() ? kBlock : has_rounds(arc) ? kToldRounds : kEdge;
        if (!function_.arcs[arc].countable || flows_[arc] || is != kind) continue;
        if (auto value = (this->*how)(arc)) {
          known_[arc] = std::move(*value);
          return true;
        }
      }
      return false;
    };
    if (try_all(&FunctionCounts::by_rounds, kToldRounds)) return true;
    for (const Kind kind : {kEdge, kToldRounds, kBlock})
      if (try_all(&FunctionCounts::by_part, kind) || try_all(&FunctionCounts::by_mean, kind)) return true;
    return false;
  }
  bool has_rounds(std::size_t arc) const {
    const std::optional<int> loop = closes(arc);
    return loop && function_.loops[*loop].rounds;
  }

  // Loops

  bool inside(int block, int loop) const {
    std::optional<int> at = function_.blocks[block].loop;
    while (at && *at != loop) at = function_.loops[*at].in;
    return at.has_value();
  }
  static int block_of(facts::Point point) { return point == 0 ? -1 : (point - 1) / 2; }
  bool is_edge(std::size_t arc) const {
    const auto [from, to] = std::pair(function_.arcs[arc].from, function_.arcs[arc].to);
    return arc >= function_.blocks.size() && to % 2 == 1 && (from == 0 || from % 2 == 0);
  }

  // The loop that an arc goes back in.
  std::optional<int> closes(std::size_t arc) const {
    if (!is_edge(arc) || function_.arcs[arc].from == 0) return std::nullopt;
    for (int loop = 0; loop < static_cast<int>(function_.loops.size()); ++loop)
      if (function_.loops[loop].head == block_of(function_.arcs[arc].to) &&
          inside(block_of(function_.arcs[arc].from), loop))
        return loop;
    return std::nullopt;
  }

  // Arcs into a loop's head from outside of it.
  std::vector<std::size_t> entries(int loop) const {
    std::vector<std::size_t> arcs;
    for (std::size_t arc = 0; arc < function_.arcs.size(); ++arc)
      if (is_edge(arc) && block_of(function_.arcs[arc].to) == function_.loops[loop].head)
        if (function_.arcs[arc].from == 0 || !inside(block_of(function_.arcs[arc].from), loop))
          arcs.push_back(arc);
    return arcs;
  }
  std::optional<Expression> entered(int loop) const {
    Expression sum;
    for (const std::size_t arc : entries(loop)) {
      if (!function_.arcs[arc].countable || !flows_[arc]) return std::nullopt;
      sum = sum + *flows_[arc];
    }
    return sum;
  }

  Expression round_symbol(int loop) const {
    return symbolic::symbol("i" + std::to_string(loop), symbolic::SymbolKind::loop_index);
  }

  std::vector<Expression> rounds_of(int loop) const {
    std::vector<Expression> all;
    if (!function_.loops[loop].rounds) return all;
    const facts::Names names{names_, [&](int l) { return std::optional(round_symbol(l)); }};
    for (const Formula& formula : program_.candidates(place_, *function_.loops[loop].rounds))
      if (const auto expression = to_expression(formula, names);
          expression && std::ranges::find(all, *expression) == all.end())
        all.push_back(*expression);
    return all;
  }

  // Rounds back in a loop per visit: entries times rounds, summed over the rounds of the loops around it on
  // which they depend.
  std::optional<Expression> by_rounds(std::size_t arc) {
    const std::optional<int> loop = closes(arc);
    if (!loop) return std::nullopt;
    std::optional<Expression> found;
    for (const Expression& rounds : rounds_of(*loop))
      for (const bool guarded : {false, true})
        if (const auto total = summed(*loop, rounds, guarded); total && agrees(*total, arc)) {
          if (found && *found != *total) ambiguous_ = true;
          if (!found) found = total;
          break;
        }
    return found;
  }

  // guarded: rounds below 0 belong to entries that did not take place.
  std::optional<Expression> summed(int loop, const Expression& rounds, bool guarded) const {
    std::optional<int> outermost;
    for (std::optional<int> around = function_.loops[loop].in; around; around = function_.loops[*around].in)
      if (depends(rounds, *around)) outermost = around;
    if (!outermost) {
      const auto times = entered(loop);
      return times && !guarded ? std::optional(*times * rounds) : std::nullopt;
    }
    Expression body = guarded ? symbolic::max(rounds, 0) : rounds;
    for (std::optional<int> around = function_.loops[loop].in; around; around = function_.loops[*around].in) {
      const std::vector<Expression> of = rounds_of(*around);
      if (of.empty()) return std::nullopt;
      body = symbolic::series(round_symbol(*around), 0, of.front(), body);
      if (around == outermost) break;
    }
    for (const Expression& symbol : symbolic::free_symbols(body))
      if (symbol.kind() == symbolic::SymbolKind::loop_index) return std::nullopt;
    const auto times = entered(*outermost);
    return times ? std::optional(*times * body) : std::nullopt;
  }
  bool depends(const Expression& rounds, int loop) const {
    const auto symbols = symbolic::free_symbols(rounds);
    return std::ranges::find(symbols, round_symbol(loop)) != symbols.end();
  }

  // Parts

  // What an arc's flow is a part of: executions of its block; of a way back, entries of its loop; of what
  // enters the function, visits.
  struct Whole {
    Expression per_visit;
    std::vector<std::size_t> arcs;  // whose flows add up to it; none: the visits
  };
  std::optional<Whole> sum_of(std::vector<std::size_t> arcs) const {
    Whole whole{0, std::move(arcs)};
    for (const std::size_t arc : whole.arcs) {
      if (!flows_[arc]) return std::nullopt;
      whole.per_visit = whole.per_visit + *flows_[arc];
    }
    return whole.arcs.empty() ? std::nullopt : std::optional(whole);
  }
  std::optional<Whole> whole_of(std::size_t arc) const {
    const auto [from, to] = std::pair(function_.arcs[arc].from, function_.arcs[arc].to);
    if (from == 0 && to == 1) return Whole{1, {}};
    if (const std::optional<int> loop = closes(arc)) return sum_of(entries(*loop));
    if (arc < function_.blocks.size()) return sum_of({0});  // where nothing tells what comes in
    if (from == 0)
      return sum_of({to % 2 == 0 ? static_cast<std::size_t>(block_of(to)) : 0});  // goes on behind a call
    return sum_of({static_cast<std::size_t>(block_of(from))});
  }
  std::uint64_t measured(std::size_t o, const Whole& whole) const {
    std::uint64_t sum = whole.arcs.empty() ? sightings_[o]->visits : 0;
    for (const std::size_t arc : whole.arcs) sum += measured_[o][arc].value_or(0);
    return sum;
  }

  std::optional<Expression> by_part(std::size_t arc) {
    const auto whole = whole_of(arc);
    if (!whole) return std::nullopt;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> part;
    for (std::size_t o = 0; o < sightings_.size(); ++o) {
      const std::uint64_t of = measured(o, *whole), count = measured_[o][arc].value_or(0);
      if (of == 0 && count == 0) continue;
      if (of == 0) return std::nullopt;
      using Wide = long double;
      if (!part) part = {count, of};
      if (static_cast<Wide>(part->first) * static_cast<Wide>(of) !=
          static_cast<Wide>(count) * static_cast<Wide>(part->second))
        return std::nullopt;
    }
    return part ? whole->per_visit * quotient(part->first, part->second) : Expression(0);
  }

  std::optional<Expression> by_mean(std::size_t arc) {
    const auto whole = whole_of(arc);
    if (!whole) return std::nullopt;
    std::uint64_t count = 0, of = 0;
    for (std::size_t o = 0; o < sightings_.size(); ++o)
      count += measured_[o][arc].value_or(0), of += measured(o, *whole);
    return of > 0 ? whole->per_visit * quotient(count, of) : mean(arc);
  }

  Expression mean(std::size_t arc) const {
    std::uint64_t count = 0, of = 0;
    for (std::size_t o = 0; o < sightings_.size(); ++o)
      count += measured_[o][arc].value_or(0), of += sightings_[o]->visits;
    return of > 0 ? quotient(count, of) : Expression(0);
  }

  // Checks

  // Whether it gives what was counted, to the unit, at every sighting.
  bool agrees(const Expression& per_visit, std::size_t arc) const {
    for (std::size_t o = 0; o < sightings_.size(); ++o) {
      const auto value = symbolic::evaluate(per_visit, sightings_[o]->values);
      if (!value) return false;
      const double count = static_cast<double>(measured_[o][arc].value_or(0));
      if (std::abs(*value * static_cast<double>(sightings_[o]->visits) - count) > 1e-12 * count + 1e-6)
        return false;
    }
    return true;
  }
  bool finite(const Expression& per_visit) const {
    return std::all_of(sightings_.begin(), sightings_.end(), [&](const Sighting* s) {
      const auto value = symbolic::evaluate(per_visit, s->values);
      return value && *value >= 0;
    });
  }

  const facts::LinkedProgram& program_;
  const FunctionPlace place_;
  const Function& function_;
  const std::vector<const Sighting*>& sightings_;
  const std::vector<Flows> measured_;  // by sighting
  const std::function<std::optional<Expression>(const facts::Input&)>& names_;
  facts::Point points_ = 1;
  std::vector<std::optional<Expression>> known_, flows_;
  bool ambiguous_ = false;
};

}  // namespace

namespace {

std::map<FunctionPlace, std::vector<bool>> executed_blocks(const std::vector<facts::Module>& modules,
                                                           const std::vector<Sighting>& sightings) {
  std::map<FunctionPlace, std::vector<bool>> executed;
  for (int m = 0; m < static_cast<int>(modules.size()); ++m)
    for (int f = 0; f < static_cast<int>(modules[m].functions.size()); ++f) {
      const Function& function = modules[m].functions[f];
      std::vector<bool>& blocks = executed[{m, f}];
      blocks.resize(function.blocks.size());
      for (const Sighting& sighting : sightings)
        if (const auto counts = sighting.modules.find(modules[m].id); counts != sighting.modules.end()) {
          const std::vector<std::uint64_t> executions =
              facts::block_executions(function, counts->second->counters);
          for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = blocks[b] || executions[b] > 0;
        }
    }
  return executed;
}

}  // namespace

BlockCounts::BlockCounts(const std::vector<facts::Module>& modules, const std::vector<Sighting>& all,
                         InputSymbols symbols)
    : modules_(modules),
      executed_(executed_blocks(modules, all)),
      symbols_(std::move(symbols)),
      program_(modules, [this](FunctionPlace place, int block) {
        return executed_.at(place)[static_cast<std::size_t>(block)];
      }) {}

std::vector<BlockCount> BlockCounts::at(const std::vector<Sighting>& sightings) const {
  std::vector<BlockCount> all;
  for (const auto& [place, executed] : executed_) {
    const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
    std::vector<Flows> flows;
    std::vector<const Sighting*> of;
    for (const Sighting& sighting : sightings)
      if (const auto counts = sighting.modules.find(module.id); counts != sighting.modules.end()) {
        flows.push_back(facts::arc_executions(module.functions[static_cast<std::size_t>(place.function)],
                                              counts->second->counters));
        of.push_back(&sighting);
      }
    const bool any = std::any_of(flows.begin(), flows.end(), [](const Flows& f) {
      return std::any_of(f.begin(), f.end(), [](const auto& flow) { return flow.value_or(0) > 0; });
    });
    if (!any) continue;
    std::vector<BlockCount> found = FunctionCounts(program_, place, of, std::move(flows), symbols_).find();
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

std::map<std::string, Expression> operations_per_visit(const std::vector<facts::Module>& modules,
                                                       const std::vector<BlockCount>& blocks) {
  std::map<std::string, std::vector<Expression>> terms;
  for (const BlockCount& block : blocks) {
    const Function& function = modules[block.function.module].functions[block.function.function];
    for (const auto& [name, count] : function.blocks[static_cast<std::size_t>(block.block)].operations)
      terms[name].push_back(Expression(count) * block.per_visit);
  }
  std::map<std::string, Expression> sums;
  for (const auto& [name, of] : terms) sums[name] = symbolic::sum_of(of);
  return sums;
}

}  // namespace parcast::program
