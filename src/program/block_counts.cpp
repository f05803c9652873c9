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

/// An expression and how sure it is; what is made of several is as sure as the least sure of them.
struct Told {
  Expression value;
  CountTier tier = CountTier::symbolic;
};
Told operator*(const Told& a, const Told& b) {
  return {a.value * b.value, std::max(a.tier, b.tier)};
}
Told operator+(const Told& a, const Told& b) {
  return {a.value + b.value, std::max(a.tier, b.tier)};
}

using PerSighting = std::function<std::uint64_t(std::size_t)>;

class FunctionCounts {
 public:
  FunctionCounts(const facts::LinkedProgram& program, FunctionPlace place,
                 const std::vector<const Sighting*>& sightings, std::vector<Flows> flows,
                 const BlockCounts::InputSymbols& symbols)
      : program_(program),
        place_(place),
        function_(program.at(place)),
        sightings_(sightings),
        measured_(std::move(flows)),
        symbols_(symbols),
        resumption_(function_.blocks.size()),
        flow_(function_.arcs.size()),
        open_(function_.loops.size()),
        entry_(function_.loops.size()),
        iterations_(function_.loops.size()),
        local_(function_.blocks.size()) {
    for (std::size_t arc = function_.blocks.size(); arc < function_.arcs.size(); ++arc) {
      const auto [from, to] = ends(arc);
      if (function_.arcs[arc].from == 0 && function_.arcs[arc].to % 2 == 0 && to >= 0)
        resumption_[to] = arc;
      else if (from >= 0 && to >= 0)
        edges_.push_back(arc);
    }
    // A loop that is left more often than it is entered, or goes round without being entered, goes on from
    // one sighting to another: no loop of this one.
    for (int loop = 0; loop < static_cast<int>(open_.size()); ++loop)
      for (std::size_t o = 0; o < sightings_.size() && !open_[loop]; ++o)
        open_[loop] = entries(o, loop) < leaves(o, loop) ||
                      (entries(o, loop) == 0 && executions(o, function_.loops[loop].head) > 0);
  }

  /// `calls`: executions of the blocks that call it, per visit, where these are all that do.
  std::vector<BlockCount> find(const std::optional<Told>& calls) {
    const PerSighting entered = [this](std::size_t o) { return entries_of_function(o); };
    const PerSighting visits = [this](std::size_t o) { return sightings_[o]->visits; };
    calls_ = calls && agrees(calls->value, entered) ? *calls : part(entered, visits);
    for (int block = 0; block < static_cast<int>(function_.blocks.size()); ++block)
      if (seen(block)) visit(block);
    std::vector<BlockCount> all;
    for (int block = 0; block < static_cast<int>(function_.blocks.size()); ++block)
      if (seen(block)) all.push_back(counted(block));
    return all;
  }

 private:
  static constexpr int kTop = -1;  // not in a loop

  // The graph

  // Blocks at an edge's ends; -1 where the function is entered or left, or the block is not known.
  std::pair<int, int> ends(std::size_t arc) const {
    const auto block = [](facts::Point point) { return point == 0 ? -1 : (point - 1) / 2; };
    return {block(function_.arcs[arc].from), block(function_.arcs[arc].to)};
  }
  int around(int loop) const { return closed(function_.loops[loop].in.value_or(kTop)); }
  int context(int block) const { return closed(function_.blocks[block].loop.value_or(kTop)); }
  // The innermost loop of this one and those around it that is no open one.
  int closed(int loop) const {
    while (loop != kTop && open_[loop]) loop = function_.loops[loop].in.value_or(kTop);
    return loop;
  }
  bool inside(int block, int loop) const {
    int at = function_.blocks[block].loop.value_or(kTop);
    while (at != kTop && at != loop) at = function_.loops[at].in.value_or(kTop);
    return at == loop;
  }
  bool heads(int block) const {
    return context(block) != kTop && function_.loops[context(block)].head == block;
  }
  bool seen(int block) const {
    return std::any_of(measured_.begin(), measured_.end(),
                       [&](const Flows& flows) { return flows[block].value_or(0) > 0; });
  }
  std::uint64_t executions(std::size_t o, int block) const { return measured_[o][block].value_or(0); }
  std::uint64_t flow(std::size_t o, std::size_t arc) const { return measured_[o][arc].value_or(0); }
  std::uint64_t entries_of_function(std::size_t o) const {
    for (std::size_t arc = function_.blocks.size(); arc < function_.arcs.size(); ++arc)
      if (function_.arcs[arc].from == 0 && function_.arcs[arc].to == 1) return flow(o, arc);
    return executions(o, 0);
  }
  std::uint64_t entries(std::size_t o, int loop) const {
    const int head = function_.loops[loop].head;
    std::uint64_t back = 0;
    for (const std::size_t arc : edges_)
      if (ends(arc).second == head && inside(ends(arc).first, loop)) back += flow(o, arc);
    return executions(o, head) - back;
  }
  std::uint64_t leaves(std::size_t o, int loop) const {
    std::uint64_t out = 0;
    for (std::size_t arc = function_.blocks.size(); arc < function_.arcs.size(); ++arc)
      if (const auto [from, to] = ends(arc); from >= 0 && inside(from, loop) && (to < 0 || !inside(to, loop)))
        out += flow(o, arc);
    return out;
  }

  // Blocks in the order of their numbers, which is one of the forward edges: what comes in is known when a
  // block is visited.
  void visit(int block) {
    const int loop = context(block);
    if (heads(block)) {
      enter(loop);
      local_[block] = Told{1};
    } else {
      const PerSighting count = [this, block](std::size_t o) { return executions(o, block); };
      local_[block] = arriving(block, kTop);
      if (!local_[block] || !agrees(total(loop, *local_[block]).value, count))
        local_[block] = per_round(count, loop);
    }
    leave(block);
  }

  // The sum of the flows that arrive from outside of a loop (kTop: from anywhere); nothing where one is not
  // known.
  std::optional<Told> arriving(int block, int loop) const {
    Told sum{0};
    if (block == 0) sum = Told{1};
    for (const std::size_t arc : edges_)
      if (ends(arc).second == block && (loop == kTop || !inside(ends(arc).first, loop))) {
        const bool used = std::any_of(measured_.begin(), measured_.end(),
                                      [&](const Flows& flows) { return flows[arc].value_or(0) > 0; });
        if (!function_.arcs[arc].countable || (used && !flow_[arc])) return std::nullopt;
        if (flow_[arc]) sum = sum + *flow_[arc];
      }
    return sum;
  }
  // A count per round of a loop, per call outside of loops, or per visit where the function was entered
  // before.
  Told per_round(const PerSighting& count, int loop) const {
    if (loop == kTop) {
      const Told per_call = part(count, [this](std::size_t o) { return entries_of_function(o); });
      return calls_.value.is_zero() ? part(count, [this](std::size_t o) { return sightings_[o]->visits; })
                                    : per_call;
    }
    const int head = function_.loops[loop].head;
    return part(count, [this, head](std::size_t o) { return executions(o, head); });
  }

  // Loops

  void enter(int loop) {
    const PerSighting entered = [this, loop](std::size_t o) { return entries(o, loop); };
    const auto sum = arriving(function_.loops[loop].head, loop);
    entry_[loop] =
        sum && agrees(total(around(loop), *sum).value, entered) ? *sum : per_round(entered, around(loop));
    iterations_[loop] = find_iterations(loop);
    for (const std::size_t arc : edges_) {  // ways out, each with its part of the entries
      const auto [from, to] = ends(arc);
      if (!inside(from, loop) || inside(to, loop) || leaves_more(arc, loop)) continue;
      flow_[arc] =
          entry_[loop] * part([&](std::size_t o) { return flow(o, arc); }, entered, single_exit(loop));
    }
  }
  // Whether an edge out of a loop leads out of the next closed one around it, too.
  bool leaves_more(std::size_t arc, int loop) const {
    return around(loop) != kTop && !inside(ends(arc).second, around(loop));
  }
  bool single_exit(int loop) const {
    return std::count_if(edges_.begin(), edges_.end(), [&](std::size_t arc) {
             return inside(ends(arc).first, loop) && !inside(ends(arc).second, loop);
           }) == 1;
  }

  Expression round_symbol(int loop) const {
    return symbolic::symbol("i" + std::to_string(loop), symbolic::SymbolKind::loop_index);
  }
  static bool depends(const Expression& what, const Expression& symbol) {
    const auto symbols = symbolic::free_symbols(what);
    return std::ranges::find(symbols, symbol) != symbols.end();
  }

  Told find_iterations(int loop) {
    const int head = function_.loops[loop].head;
    const PerSighting count = [this, head](std::size_t o) { return executions(o, head); };
    std::optional<Told> found;
    const auto attempt = [&](facts::NodeNumber node, CountTier tier) {
      for (const Expression& rounds : expressions_of(node, around(loop)))
        for (const Expression& iterations :
             {rounds + Expression(1), symbolic::max(rounds + Expression(1), 0)}) {
          iterations_[loop] = Told{iterations, tier};
          if (!agrees(total(loop, Told{1}).value, count)) continue;
          if (found && found->value != iterations) ambiguous_ = true;
          if (!found) found = Told{iterations, tier};
          break;
        }
    };
    if (const auto& proved = function_.loops[loop].rounds) attempt(*proved, CountTier::symbolic);
    for (const facts::NodeNumber node : function_.loops[loop].perhaps)
      if (!found) attempt(node, single_exit(loop) ? CountTier::symbolic : CountTier::as_seen);
    if (found) return *found;
    Told told = part(count, [this, loop](std::size_t o) { return entries(o, loop); });
    if (told.tier < CountTier::constant) told.tier = CountTier::constant;  // rounds that nothing explains
    return told;
  }

  // A node in the rounds of the loops around.
  std::vector<Expression> expressions_of(facts::NodeNumber node, int within) const {
    const facts::Names names{symbols_, [&](int loop) -> std::optional<Expression> {
                               for (int at = within; at != kTop; at = around(at))
                                 if (at == loop) return round_symbol(loop);
                               return std::nullopt;
                             }};
    std::vector<Expression> all;
    for (const Formula& formula : program_.candidates(place_, node))
      if (auto expression = to_expression(formula, names);
          expression && std::ranges::find(all, *expression) == all.end())
        all.push_back(*std::move(expression));
    return all;
  }

  // What is done `each` times per round of a loop (once per call), per visit.
  Told total(int loop, Told each) const {
    for (; loop != kTop; loop = around(loop)) {
      const Expression round = round_symbol(loop);
      const Told& iterations = iterations_[loop];
      each.value = depends(each.value, round)
                       ? symbolic::series(round, 0, iterations.value - Expression(1), each.value)
                       : each.value * iterations.value;
      each.tier = std::max(each.tier, iterations.tier);
      each = entry_[loop] * each;
    }
    return calls_.value.is_zero() ? each : each * calls_;
  }

  // Branches

  void leave(int block) {
    const int loop = context(block);
    Told leaving = *local_[block];
    PerSighting count = [this, block](std::size_t o) { return executions(o, block); };
    if (const auto& goes_on = resumption_[block]) {  // behind a call
      const PerSighting behind = [this, arc = *goes_on](std::size_t o) { return flow(o, arc); };
      if (!same(behind, count)) leaving = per_round(behind, loop);
      count = behind;
    }
    std::vector<std::size_t> out, forward;
    for (const std::size_t arc : edges_)
      if (ends(arc).first == block) {
        out.push_back(arc);
        const int to = ends(arc).second;
        const bool back = heads(to) && inside(block, context(to));
        if (!back && (loop == kTop || inside(to, loop))) forward.push_back(arc);
      }
    const auto branch = std::ranges::find(function_.branches, block, &facts::Branch::block);
    for (const std::size_t arc : forward) {
      if (branch != function_.branches.end() && out.size() == 2 && forward.size() == 2 &&
          by_condition(arc, *branch, loop, leaving))
        continue;
      flow_[arc] = leaving * part([&](std::size_t o) { return flow(o, arc); }, count, out.size() == 1);
    }
  }

  // 1 where the branch takes this way, as far as its condition is known; checked by what was counted.
  bool by_condition(std::size_t arc, const facts::Branch& branch, int loop, const Told& leaving) {
    const bool so = ends(arc).second == branch.so;
    for (const Expression& left : expressions_of(branch.left, loop))
      for (const Expression& right : expressions_of(branch.right, loop)) {
        const auto taken = facts::chosen_by(branch.predicate, left, right, so ? 1 : 0, so ? 0 : 1);
        if (!taken) continue;
        const Told each = leaving * Told{*taken};
        if (!agrees(total(loop, each).value, [&](std::size_t o) { return flow(o, arc); })) continue;
        flow_[arc] = each;
        return true;
      }
    return false;
  }

  // Parts

  bool same(const PerSighting& a, const PerSighting& b) const {
    for (std::size_t o = 0; o < sightings_.size(); ++o)
      if (a(o) != b(o)) return false;
    return true;
  }
  // What share `some` is of `all`: the same at every sighting, or the mean. `forced`: there is no other way
  // to go.
  Told part(const PerSighting& some, const PerSighting& all, bool forced = false) const {
    std::uint64_t sum = 0, of = 0;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> first;
    bool constant = true;
    for (std::size_t o = 0; o < sightings_.size(); ++o) {
      const std::uint64_t a = some(o), b = all(o);
      sum += a, of += b;
      if (a == 0 && b == 0) continue;
      using Wide = long double;
      if (!first) first = {a, b};
      constant = constant && static_cast<Wide>(first->first) * static_cast<Wide>(b) ==
                                 static_cast<Wide>(a) * static_cast<Wide>(first->second);
    }
    if (of == 0) return {0, sum == 0 ? CountTier::as_seen : CountTier::measured};
    const bool whole = sum == of || sum == 0;
    const CountTier tier = !constant ? CountTier::measured
                           : !whole  ? CountTier::constant
                           : forced  ? CountTier::symbolic
                                     : CountTier::as_seen;
    return {quotient(sum, of), tier};
  }

  // Checks

  BlockCount counted(int block) const {
    const PerSighting count = [this, block](std::size_t o) { return executions(o, block); };
    const Told all = total(context(block), *local_[block]);
    BlockCount result{place_, block, all.value, all.tier, false};
    if (agrees(all.value, count)) {
      if (result.tier == CountTier::measured) result.tier = CountTier::constant;
      result.ambiguous = ambiguous_ && !symbolic::free_symbols(all.value).empty();
    } else {
      result.tier = CountTier::measured;
      if (!finite(all.value))
        result.per_visit = part(count, [this](std::size_t o) { return sightings_[o]->visits; }).value;
    }
    return result;
  }

  // Whether it gives what was counted, to the unit, at every sighting.
  bool agrees(const Expression& per_visit, const PerSighting& counts) const {
    for (std::size_t o = 0; o < sightings_.size(); ++o) {
      const auto value = symbolic::evaluate(per_visit, sightings_[o]->values);
      if (!value) return false;
      const double count = static_cast<double>(counts(o));
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
  const BlockCounts::InputSymbols& symbols_;
  std::vector<std::size_t> edges_;                      // arcs between blocks
  std::vector<std::optional<std::size_t>> resumption_;  // of blocks: the arc that comes back from a call
  std::vector<std::optional<Told>> flow_;   // of edges, per round of the closed loop around, or per call
  std::vector<bool> open_;                  // of loops
  std::vector<Told> entry_, iterations_;    // of loops: per round of the loop around; per entry
  std::vector<std::optional<Told>> local_;  // of blocks, per round of their loop
  Told calls_;                              // per visit
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
                         InputSymbols symbols, std::vector<std::string> parameters)
    : modules_(modules),
      all_(all),
      parameters_(std::move(parameters)),
      executed_(executed_blocks(modules, all)),
      symbols_([given = std::move(symbols), this](const facts::Input& input) -> std::optional<Expression> {
        if (input.kind == facts::InputKind::parameter)
          return symbolic::symbol(parameters_[static_cast<std::size_t>(input.index)],
                                  symbolic::SymbolKind::parameter);
        return given(input);
      }),
      program_(
          modules,
          [this](FunctionPlace place, int block) {
            return executed_.at(place)[static_cast<std::size_t>(block)];
          },
          [this](FunctionPlace place, facts::NodeNumber node) { return recognised(place, node); }) {}

// Parameters that the value of a node equals in every process of every run where it was looked at and stayed
// the same.
std::vector<Formula> BlockCounts::recognised(FunctionPlace place, facts::NodeNumber node) const {
  const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
  const Function& function = module.functions[static_cast<std::size_t>(place.function)];
  const auto probe = std::ranges::find(function.probes, node, &facts::Probe::node);
  if (probe == function.probes.end()) return {};
  std::vector<bool> may_be(parameters_.size(), true);
  bool looked = false;
  for (const Sighting& sighting : all_) {
    const auto counts = sighting.modules.find(module.id);
    if (counts == sighting.modules.end()) continue;
    const auto& [value, changes, least, most] = counts->second->probes.at(probe->probe);
    if (changes == 0) continue;
    if (changes > 1) return {};
    looked = true;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const auto given = sighting.values.find(parameters_[k]);
      if (given == sighting.values.end() ||
          given->second != static_cast<double>(static_cast<std::int64_t>(value)))
        may_be[k] = false;
    }
  }
  std::vector<Formula> formulas;
  for (std::size_t k = 0; k < parameters_.size() && looked; ++k)
    if (may_be[k])
      formulas.push_back(
          facts::input({facts::InputKind::parameter, static_cast<int>(k), 0}, function.nodes[node].bits));
  return formulas;
}

std::vector<BlockCount> BlockCounts::at(const std::vector<Sighting>& sightings) const {
  std::map<FunctionPlace, std::vector<BlockCount>> found;
  std::set<FunctionPlace> under_way;
  const std::function<void(FunctionPlace)> find = [&](FunctionPlace place) {
    if (found.contains(place) || !under_way.insert(place).second)
      return;  // recursion: what is under way tells nothing yet
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
    if (any) {
      std::optional<Told> calls;
      for (const auto& [caller, block] : program_.callers(place)) {
        find(caller);
        const auto blocks = found.find(caller);
        if (blocks == found.end()) {
          calls.reset();
          break;
        }
        const auto count = std::ranges::find(blocks->second, block, &BlockCount::block);
        if (count != blocks->second.end())
          calls = (calls ? *calls : Told{0}) + Told{count->per_visit, count->tier};
      }
      if (module.functions[static_cast<std::size_t>(place.function)].name == "main") calls = Told{1};
      found[place] = FunctionCounts(program_, place, of, std::move(flows), symbols_).find(calls);
    } else {
      found[place] = {};
    }
    under_way.erase(place);
  };
  for (const auto& [place, executed] : executed_) find(place);
  std::vector<BlockCount> all;
  for (auto& [place, blocks] : found) std::move(blocks.begin(), blocks.end(), std::back_inserter(all));
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
