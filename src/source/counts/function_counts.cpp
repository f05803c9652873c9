// SPDX-License-Identifier: Apache-2.0
#include "source/counts/function_counts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "source/counts/count_parts.h"
#include "source/counts/rounds.h"
#include "source/counts/sweeps.h"
#include "source/facts/allocators.h"

namespace parcast::program {
namespace {

using facts::Formula;
using facts::FunctionPlace;
using symbolic::Expression;

class FunctionCounts {
 public:
  FunctionCounts(const Surroundings& surroundings, FunctionPlace place,
                 const std::vector<const Sighting*>& sightings, std::vector<Flows> flows)
      : around_(surroundings),
        place_(place),
        sightings_(sightings),
        graph_(surroundings.program, place, std::move(flows)),
        function_(graph_.function()),
        recognition_(surroundings.recognition(sightings)),
        parts_(surroundings, sightings, recognition_),
        flow_(function_.arcs.size()),
        entry_(function_.loops.size()),
        iterations_(function_.loops.size()),
        by_team_(function_.loops.size()),
        local_(function_.blocks.size()),
        is_called_by_polling_(called_by_polling(surroundings, place)),
        left_(function_.blocks.size()) {
    for (const facts::Call& call : function_.calls)
      if (surroundings.program.may_leave(place, call)) left_[call.block] = true;
    behind_ = graph_.behind(left_);
  }

  PlaceCounts find(const std::optional<SourceCount>& calls) {
    const PerSighting entered = [this](std::size_t o) { return graph_.entries_of_function(o); };
    calls_ = calls && parts_.agrees(calls->value, entered)
                 ? *calls
                 // its callers are unknown
                 : parts_.find_part(
                       entered, parts_.visits(), [](const SourceCount& total) { return total; }, true);
    if (calls) enter_in_teams(*calls, entered);
    // A count without a formula is taken in proportion to the executions of its callers.
    if (calls_.tier == CountTier::measured && calls && !is_called_by_polling_)
      if (const auto with = parts_.in_proportion(*calls, entered);
          with && (!recognition_.grows() || calls_.bits >= kSeldom || with->bits <= calls_.bits))
        calls_ = *with;
    for (int block = 0; block < static_cast<int>(function_.blocks.size()); ++block) {
      // a call in the block may have begun in another place
      const auto goes_on = graph_.resumption(block);
      if (graph_.seen(block) || (goes_on && graph_.used(*goes_on))) visit(block);
    }
    PlaceCounts all;
    std::map<int, std::size_t> of_block;
    for (int block = 0; block < static_cast<int>(function_.blocks.size()); ++block)
      if (graph_.seen(block)) {
        of_block[block] = all.blocks.size();
        all.blocks.push_back(counted(block));
        if (graph_.heads(block))
          heads_[graph_.context(block)] = {all.blocks.back().per_visit, all.blocks.back().tier,
                                           all.blocks.back().bits, all.blocks.back().alternatives};
      }
    for (int call = 0; call < static_cast<int>(function_.calls.size()); ++call) {
      const auto block = of_block.find(function_.calls[call].block);
      if (block != of_block.end() && is_summed(function_.calls[call]))
        all.calls.push_back(summed(call, all.blocks[block->second]));
    }
    for (int loop = 0; loop < static_cast<int>(function_.loops.size()); ++loop)
      if (const int head = function_.loops[loop].head; graph_.seen(head) && graph_.context(head) == loop)
        all.loops.push_back({place_, loop, iterations_[loop].value, iterations_[loop].tier});
    all.branches = std::move(branches_);
    const CountedLoops counted_loops{
        around_,
        place_,
        graph_,
        sightings_,
        entry_,
        iterations_,
        [this](facts::NodeNumber node, int within) { return expressions_of(node, within); },
        [this](int loop, const SourceCount& each) { return total(loop, each); }};
    for (const facts::Reference& reference : function_.references)
      if (graph_.seen(reference.block)) add_sweeps(counted_loops, reference, all.sweeps);
    return all;
  }

 private:
  // Returns whether some call of the function is in a polling loop. Then its entries do not measure its work.
  static bool called_by_polling(const Surroundings& around, FunctionPlace place) {
    const auto polls = [&](const BlockPlace& block) { return around.polling.contains(block); };
    return std::ranges::any_of(around.program.callers(place), polls);
  }

  // Each thread of a team enters the function once per call that starts the team, so entries are starts times
  // threads.
  void enter_in_teams(const SourceCount& starts, const PerSighting& entered) {
    if (!around_.program.is_of_teams(place_)) return;
    const PerSighting started = [&](std::size_t o) {
      const auto each = symbolic::evaluate(starts.value, sightings_[o]->values);
      return each && *each > 0 ? static_cast<std::uint64_t>(
                                     std::llround(*each * static_cast<double>(sightings_[o]->visits)))
                               : 0;
    };
    if (!parts_.agrees(starts.value, started)) return;
    const SourceCount threads = parts_.find_part(
        entered, started, [&](const SourceCount& all) { return all / starts; }, false);
    const SourceCount all = starts * threads;
    if (all.tier >= CountTier::measured || !parts_.agrees(all.value, entered)) return;
    calls_ = all;
    starts_ = starts;
  }

  PerSighting executions(int block) const {
    return [this, block](std::size_t o) { return graph_.executions(o, block); };
  }
  PerSighting flow(std::size_t arc) const {
    return [this, arc](std::size_t o) { return graph_.flow(o, arc); };
  }
  PerSighting entries(int loop) const {
    return [this, loop](std::size_t o) { return graph_.entries(o, loop); };
  }

  // Visits blocks in the order of their numbers, which is a topological order of the forward edges. The
  // inflow of a block is therefore known when it is visited.
  void visit(int block) {
    const int loop = graph_.context(block);
    if (graph_.heads(block)) {
      enter(loop);
      local_[block] = SourceCount{1};
    } else {
      local_[block] = arriving(block, kTop);
      if (local_[block] && !parts_.agrees(total(loop, *local_[block]).value, executions(block)))
        local_[block].reset();
      if (const auto other = as_another(block);
          other && (!local_[block] || other->tier < local_[block]->tier))
        local_[block] = other;
      if (!local_[block]) local_[block] = per_round(executions(block), loop);
    }
    leave(block);
  }

  // Returns the count of an earlier block that is executed as often, because all ways lead from that one to
  // this one.
  std::optional<SourceCount> as_another(int block) const {
    std::optional<SourceCount> best;
    for (const auto ways : {FunctionFlows::Ways::possible, FunctionFlows::Ways::taken}) {
      const int other = graph_.as_often_as(block, ways);
      if (other == block || !local_[other]) continue;
      SourceCount given = *local_[other];
      if (ways == FunctionFlows::Ways::taken || behind_[block])
        given.tier = std::max(given.tier, CountTier::as_seen);
      if ((!best || given.tier < best->tier) &&
          parts_.agrees(total(graph_.context(block), given).value, executions(block)))
        best = given;
    }
    return best;
  }

  // Returns the sum of the flows that arrive from outside of a loop (kTop: from anywhere). Returns nothing if
  // one of them is unknown. A block that was never executed sends no flow.
  std::optional<SourceCount> arriving(int block, int loop) const {
    SourceCount sum{0};
    if (block == 0) sum = SourceCount{1};
    bool as_seen = false;
    for (const std::size_t arc : graph_.edges()) {
      const auto [from, to] = graph_.ends(arc);
      if (to != block || (loop != kTop && graph_.inside(from, loop))) continue;
      if (!function_.arcs[arc].countable || (graph_.used(arc) && !flow_[arc])) return std::nullopt;
      if (flow_[arc]) sum = sum + *flow_[arc];
      as_seen = as_seen || (!flow_[arc] && from >= 0 && !graph_.seen(from));
    }
    if (as_seen) sum.tier = std::max(sum.tier, CountTier::as_seen);
    return sum;
  }

  // Returns a count per round of a loop; per call outside of loops; or per visit if the function was already
  // entered before.
  SourceCount per_round(const PerSighting& count, int loop) {
    const bool by_data = graph_.data_within(loop);
    const auto of_total = [this, loop](const SourceCount& all) { return all / total(loop, SourceCount{1}); };
    constexpr double kOnce = 1;  // executions per round
    if (loop != kTop)
      return parts_.find_part(count, executions(function_.loops[loop].head), of_total, by_data, kOnce);
    if (calls_.value.is_zero())
      return parts_.find_part(
          count, parts_.visits(), [](const SourceCount& total) { return total; }, by_data);
    return parts_.find_part(
        count, [this](std::size_t o) { return graph_.entries_of_function(o); }, of_total, by_data, kOnce);
  }

  // Loops

  void enter(int loop) {
    const int outer = graph_.around(loop);
    const auto sum = arriving(function_.loops[loop].head, loop);
    entry_[loop] = sum && parts_.agrees(total(outer, *sum).value, entries(loop))
                       ? *sum
                       : per_round(entries(loop), outer);
    const bool left_by_data = graph_.left_by_data(loop);
    iterations_[loop] = find_iterations(loop, left_by_data);
    const bool left = may_be_left_within(loop);
    if (left) iterations_[loop].tier = std::max(iterations_[loop].tier, CountTier::as_seen);
    for (const std::size_t arc : graph_.edges()) {  // exits, each with its part of the entries
      const auto [from, to] = graph_.ends(arc);
      if (!graph_.inside(from, loop) || graph_.inside(to, loop) || leaves_more(arc, loop)) continue;
      const SourceCount part =
          parts_.steady(parts_.part_of(flow(arc), entries(loop), graph_.single_exit(loop)), left_by_data);
      flow_[arc] = part.tier < CountTier::measured ? entry_[loop] * part : per_round(flow(arc), outer);
      if (left) flow_[arc]->tier = std::max(flow_[arc]->tier, CountTier::as_seen);
    }
  }
  // Returns whether a call in the loop may not return, whatever the number of rounds.
  bool may_be_left_within(int loop) const {
    for (int block = 0; block < static_cast<int>(left_.size()); ++block)
      if (left_[block] && graph_.inside(block, loop)) return true;
    return false;
  }
  // Returns whether an edge out of a loop also leaves the next closed loop around it.
  bool leaves_more(std::size_t arc, int loop) const {
    const int outer = graph_.around(loop);
    return outer != kTop && !graph_.inside(graph_.ends(arc).second, outer);
  }

  SourceCount find_iterations(int loop, bool left_by_data) {
    const PerSighting count = executions(function_.loops[loop].head);
    // Of all iteration counts that match the counters, one that depends on inputs is preferred, since a
    // constant may be the value of an earlier time. The threads of a team together execute the rounds of a
    // shared loop once.
    by_team_[loop] = starts_ && function_.loops[loop].shared && !function_.loops[loop].chunks;
    std::vector<SourceCount> found;
    const auto attempt = [&](facts::NodeNumber node, CountTier tier) {
      for (const SourceCount& rounds : expressions_of(node, graph_.around(loop)))
        for (const Expression& iterations :
             {rounds.value + Expression(1), symbolic::max(rounds.value + Expression(1), 0)}) {
          const SourceCount given{iterations, std::max(tier, rounds.tier)};
          iterations_[loop] = given;
          if (!parts_.agrees(total(loop, SourceCount{1}).value, count)) continue;
          found.push_back(given);
          break;
        }
    };
    if (const auto& proved = function_.loops[loop].rounds)
      attempt(*proved, CountTier::symbolic);
    else
      for (const facts::NodeNumber node : function_.loops[loop].perhaps)
        attempt(node, graph_.single_exit(loop) ? CountTier::symbolic : CountTier::as_seen);
    if (const auto best = best_of(found)) return *best;
    by_team_[loop] = false;
    SourceCount given = parts_.find_part(
        count, entries(loop),
        [&](const SourceCount& all) { return all / total(graph_.around(loop), entry_[loop]); }, left_by_data);
    if (given.tier < CountTier::constant && given.value.is_constant())
      given.tier = CountTier::constant;  // unexplained iteration count
    return parts_.steady(given, left_by_data);
  }

  std::optional<SourceCount> best_of(const std::vector<SourceCount>& found) {
    if (found.empty()) return std::nullopt;
    for (const SourceCount& other : found) parts_.note_ambiguous(other.value != found.front().value);
    const auto varies =
        std::ranges::find_if(found, [](const SourceCount& given) { return !given.value.is_constant(); });
    SourceCount best = varies == found.end() ? found.front() : *varies;
    if (std::ranges::any_of(found, [&](const SourceCount& other) { return other.value != best.value; }))
      best.tier = std::max(best.tier, CountTier::recognised);
    std::vector<Expression> others;  // different at other points, each in its own hypothesis
    for (const SourceCount& other : found) {
      if (others.size() == kHypotheses || (other.value.is_constant() && !best.value.is_constant())) continue;
      if (recognition_.differ(other.value, best.value) &&
          std::ranges::find(others, other.by(others.size())) == others.end())
        others.push_back(other.by(others.size()));
    }
    return with_alternatives(best, others);
  }

  // Returns names for the rounds of the enclosing loops and for inputs.
  facts::Names names_within(int within) const {
    const auto of_loop = [this, within](auto value) {
      return [this, within, value](int loop) -> std::optional<Expression> {
        for (int at = within; at != kTop; at = graph_.around(at))
          if (at == loop) return value(loop);
        return std::nullopt;
      };
    };
    return {around_.symbols, of_loop([this](int loop) { return round_symbol(loop); }),
            of_loop([this](int loop) { return iterations_[loop].value - Expression(1); }),
            [this](const facts::Input& input) { return smallest_seen(input); }};
  }
  // A size below the observed ones is as likely as one of these.
  std::int64_t smallest_seen(const facts::Input& input) const {
    double least = facts::kSmallSize;
    if (const auto symbol = around_.symbols(input);
        symbol && symbol->operation() == symbolic::Operation::symbol)
      for (const Sighting* sighting : sightings_)
        if (const auto value = sighting->values.find(symbol->name()); value != sighting->values.end())
          least = std::min(least, value->second);
    return static_cast<std::int64_t>(std::max(least, 0.0));
  }

  // Returns the distinct expressions of `formulas`. If there are several, the observed counts decide.
  static std::vector<SourceCount> expressions_of(const std::vector<Formula>& formulas, bool sole,
                                                 const facts::Names& names) {
    std::vector<SourceCount> all;
    for (const Formula& formula : formulas) {
      auto expression = to_expression(formula, names);
      if (!expression || std::ranges::find(all, expression->value, &SourceCount::value) != all.end())
        continue;
      const bool by_value = std::ranges::any_of(facts::inputs_of(formula), [](const facts::Input& input) {
        return input.kind == facts::InputKind::recognised;
      });
      all.push_back({std::move(expression->value), by_value || !sole || !expression->everywhere
                                                       ? CountTier::recognised
                                                       : CountTier::symbolic});
    }
    return all;
  }

  // Returns the expressions of a node in the rounds of the enclosing loops.
  std::vector<SourceCount> expressions_of(facts::NodeNumber node, int within) const {
    const facts::LinkedProgram::Candidates candidates = around_.program.candidates(place_, node);
    return expressions_of(candidates.formulas, candidates.sole, names_within(within));
  }

  // Returns expressions that are 1 where the comparison of a branch holds, and 0 elsewhere.
  std::vector<SourceCount> conditions_of(const facts::Branch& branch, int within) const {
    const facts::LinkedProgram::Candidates left = around_.program.candidates(place_, branch.left),
                                           right = around_.program.candidates(place_, branch.right);
    facts::Node compare;
    compare.operation = facts::Operation::compare;
    compare.name = branch.predicate;
    compare.bits = function_.nodes[branch.left].bits;
    std::vector<Formula> all;
    for (const Formula& one : left.formulas)
      for (const Formula& other : right.formulas) all.push_back(operation(compare, {one, other}));
    return expressions_of(all, left.sole && right.sole, names_within(within));
  }

  // Returns an amount per visit, from the amount `each` per round of a loop (per call outside of loops).
  SourceCount total(int loop, SourceCount each) const {
    bool by_team = false;
    for (; loop != kTop; loop = graph_.around(loop)) {
      const Expression round = round_symbol(loop);
      const SourceCount& iterations = iterations_[loop];
      each = combined(each, iterations, [&](const Expression& in_round, const Expression& rounds) {
        return depends(in_round, round) ? over_rounds(round, rounds, in_round) : in_round * rounds;
      });
      each.tier = std::max(each.tier, iterations.tier);
      each.bits += iterations.bits;
      each = entry_[loop] * each;
      by_team = by_team || by_team_[loop];
    }
    return calls_.value.is_zero() ? each : each * (by_team ? *starts_ : calls_);
  }

  // Branches

  void leave(int block) {
    const int loop = graph_.context(block);
    SourceCount leaving = *local_[block];
    PerSighting count = executions(block);
    if (const auto goes_on = graph_.resumption(block)) {  // after a call
      const PerSighting behind = flow(*goes_on);
      if (!parts_.same(behind, count))
        leaving = per_round(behind, loop);
      else if (left_[block])
        leaving.tier = std::max(leaving.tier, CountTier::as_seen);
      count = behind;
    }
    std::vector<std::size_t> out, forward;
    for (const std::size_t arc : graph_.edges()) {
      const auto [from, to] = graph_.ends(arc);
      if (from != block || graph_.fatal(arc)) continue;
      out.push_back(arc);
      const bool back = graph_.heads(to) && graph_.inside(block, graph_.context(to));
      if (!back && (loop == kTop || graph_.inside(to, loop))) forward.push_back(arc);
    }
    const auto branch = std::ranges::find(function_.branches, block, &facts::Branch::block);
    for (const std::size_t arc : forward) {
      if (branch != function_.branches.end() && out.size() == 2 && forward.size() == 2 &&
          by_condition(arc, *branch, loop, leaving))
        continue;
      const SourceCount part =
          parts_.steady(parts_.part_of(flow(arc), count, out.size() == 1), graph_.by_data(block));
      flow_[arc] = part.tier < CountTier::measured ? leaving * part : per_round(flow(arc), loop);
      if (part.tier >= CountTier::constant && arc == forward.front() && forward.size() == 2 &&
          out.size() == 2)
        note_branch(arc, block, count);
    }
  }

  void note_branch(std::size_t arc, int block, const PerSighting& count) {
    BranchCount branch{place_, block, graph_.ends(arc).second, {}};
    Ways all;
    for (std::size_t o = 0; o < sightings_.size(); ++o) {
      branch.ways.push_back({flow(arc)(o), count(o)});
      all.taken += branch.ways.back().taken, all.all += branch.ways.back().all;
    }
    if (all.taken > 0 && all.taken < all.all) branches_.push_back(std::move(branch));
  }

  // Sets a flow to 1 where the branch takes this way, if its condition is known. The counters must confirm
  // it.
  bool by_condition(std::size_t arc, const facts::Branch& branch, int loop, const SourceCount& leaving) {
    const bool so = graph_.ends(arc).second == branch.so;
    std::vector<SourceCount> found;
    for (const SourceCount& holds : conditions_of(branch, loop)) {
      SourceCount each = leaving * holds;
      // both ways together equal the outflow
      if (!so)
        each = combined(each, leaving,
                        [](const Expression& other, const Expression& all) { return all - other; });
      if (parts_.agrees(total(loop, each).value, flow(arc))) found.push_back(each);
    }
    flow_[arc] = best_of(found);
    return !found.empty();
  }

  // Checks

  BlockCount counted(int block) {
    BlockCount result = counted_anyhow(block);
    result.polling = around_.polling.contains({place_, block});
    // an equal count in all runs may still change in the next run
    if (result.polling) result.tier = CountTier::measured;
    return result;
  }

  BlockCount counted_anyhow(int block) {
    const PerSighting count = executions(block);
    const SourceCount all = total(graph_.context(block), *local_[block]);
    BlockCount result{place_, block, all.value, all.tier, false, 0, all.alternatives};
    const bool by_parts = parts_.agrees(all.value, count);
    if (by_parts && all.tier < CountTier::measured) {
      result.ambiguous = parts_.ambiguous() && !symbolic::free_symbols(all.value).empty();
      if (result.ambiguous) result.tier = std::max(result.tier, CountTier::recognised);
      return result;
    }
    const bool by_data = calls_.tier >= CountTier::constant || graph_.data_within(kTop);
    const SourceCount given = parts_.find_part(
        count, parts_.visits(), [](const SourceCount& total) { return total; }, by_data);
    SourceCount best = given;
    if (given.tier >= CountTier::measured || !parts_.agrees(given.value, count)) {
      if (parts_.finite(all.value)) best = all;
      if (recognition_.grows() && !by_parts) best = shortest(block, all, given);
      best.tier = by_parts ? CountTier::constant : CountTier::measured;
      if (!recognition_.grows() && !by_parts) best = parts_.with_trend(best, count);
    }
    result.per_visit = best.value;
    result.tier = best.tier;
    result.bits = best.bits;
    result.alternatives = best.alternatives;
    result.ambiguous = parts_.ambiguous() && given.tier < CountTier::measured;
    return result;
  }

  // Returns the count with the shortest description. A count that only larger sizes brought about is taken in
  // proportion to all executions of the program. Otherwise the count is proportional to its parts, to the
  // head of an enclosing loop, or to the calls of the function, or is described on its own.
  SourceCount shortest(int block, const SourceCount& of_parts, const SourceCount& by_itself) const {
    if (auto given = parts_.with_program(executions(block))) return *given;
    std::vector<SourceCount> with;
    if (parts_.finite(of_parts.value)) with.push_back(of_parts);
    for (int loop = graph_.context(block); loop != kTop; loop = graph_.around(loop))
      if (const auto head = heads_.find(loop); head != heads_.end() && function_.loops[loop].head != block)
        with.push_back(head->second);
    if (!calls_.value.is_zero() && !is_called_by_polling_) with.push_back(calls_);
    std::optional<SourceCount> best;
    for (const SourceCount& each : with)
      if (auto given = parts_.in_proportion(each, executions(block));
          given && (!best || given->bits < best->bits))
        best = std::move(given);
    if (!best ||
        (recognition_.in_every_run(parts_.by_sighting(executions(block))) && by_itself.bits < best->bits))
      best = by_itself;
    best->tier = CountTier::measured;
    return *best;
  }

  static bool is_summed(const facts::Call& call) {
    return call.to && (call.to->starts_with("MPI_") || call.to->starts_with("PMPI_") ||
                       call.to->starts_with("parcast_region_") || !facts::size_arguments(*call.to).empty());
  }

  CallSum summed(int number, const BlockCount& block) const {
    const facts::Call& call = function_.calls[number];
    CallSum sum{place_, number, block.per_visit, block.tier, {}};
    const int loop = graph_.context(call.block);
    for (int argument = 0; argument < static_cast<int>(call.arguments.size()); ++argument) {
      const auto node = call.arguments[argument];
      if (!node || function_.nodes[*node].operation >= facts::Operation::global) continue;
      for (const SourceCount& value : expressions_of(*node, loop)) {
        const SourceCount all = total(loop, *local_[call.block] * value);
        sum.passed.push_back({argument, all.value, all.tier, {}});
        if (!depends_on_rounds(value.value)) sum.passed.back().each = value.value;
      }
    }
    return sum;
  }

  const Surroundings& around_;
  const FunctionPlace place_;
  const std::vector<const Sighting*>& sightings_;
  const FunctionFlows graph_;
  const facts::Function& function_;
  Recognition& recognition_;
  CountParts parts_;
  std::vector<std::optional<SourceCount>>
      flow_;  // of edges, per round of the enclosing closed loop, or per call
  std::vector<SourceCount> entry_, iterations_;  // of loops: per round of the enclosing loop; per entry
  std::vector<bool> by_team_;  // of loops: a team's threads execute the rounds together, once
  std::vector<std::optional<SourceCount>> local_;  // of blocks, per round of their loop
  std::vector<BranchCount> branches_;
  std::map<int, SourceCount> heads_;  // of loop heads, per visit, as counted
  const bool is_called_by_polling_;
  std::vector<bool> left_;             // blocks with a call that may not return although the run succeeds
  std::vector<bool> behind_;           // blocks reachable from these
  SourceCount calls_;                  // per visit
  std::optional<SourceCount> starts_;  // starts of teams whose threads each call the function
};

}  // namespace

PlaceCounts function_counts(const Surroundings& surroundings, FunctionPlace place,
                            const std::vector<const Sighting*>& sightings, std::vector<Flows> flows,
                            const std::optional<SourceCount>& calls) {
  return FunctionCounts(surroundings, place, sightings, std::move(flows)).find(calls);
}

}  // namespace parcast::program
