// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/exported.h"

#include <algorithm>

#include "machine/tools.h"
#include "predict/equation/regions.h"
#include "predict/equation/solve.h"
#include "predict/intervals.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::predict {
namespace {

using program::Model;
using symbolic::Expression;

/// Bounds are taken at both ends of all parameters together, and at the question.
std::vector<program::Point> corners(const Question& question, std::span<const std::int32_t> processes,
                                    const std::map<std::string, double>& low,
                                    const std::map<std::string, double>& high) {
  std::vector<program::Point> out;
  for (const std::int32_t p : processes)
    for (const auto* values : {&low, &high, &question.point.parameters}) out.push_back({*values, p});
  return out;
}

class Exporter {
 public:
  Exporter(const Model& model, const machine::Machine& machine, const Question& question,
           std::vector<program::Point> corners)
      : as_built_(model),
        machine_(machine),
        question_(question),
        parameters_(machine::cost_parameters(machine)) {
    out_.model = program::bounded_below(model, corners);
    out_.level = question.level;
    out_.quantile = statistics::normal_quantile(0.5 + question.level / 2);
    out_.run_deviation = run_deviation(model, machine, question);
    out_.processor_spread = processor_spread(model, machine, question);
    out_.domain = program::lattice_of(model);
    if (is_reconciled(model)) out_.groups = groups_of(model);
    factors_.assign(model.segments.size(), Expression(1));
    for (const Group& group : out_.groups)
      for (const std::size_t segment : group.parts) factors_[segment] = factor_symbol(segment);
  }

  void add(std::int32_t processes) {
    Question question = question_;
    question.point.processes = processes;
    const Model here = model_at(as_built_, question.point);
    const auto solution = solve_values(here, machine_, question);
    if (!solution) return;
    ExportedLayer layer;
    layer.processes = processes;
    layer.nodes = place(machine_, question).nodes;
    layer.extents = grid_extents(as_built_, question.point);
    layer.which = case_of(question, solution->plan->contributions.link);
    layer.stand_in = stand_in(question);
    add_remainder(*solution, question, layer);
    out_.layers.push_back(std::move(layer));
  }

  Result<ExportedEquation> finish() {
    if (out_.layers.empty())
      return Error{"the closed form has no value at any of the process counts", "", ""};
    for (const auto& [a, first] : out_.machine)
      for (const auto& [b, second] : out_.machine) {
        if (!(first.standard_error > 0) || !(second.standard_error > 0)) continue;
        const double known = covariance(machine_, a, b);
        const double value = known == 0 && a == b ? first.standard_error * first.standard_error : known;
        if (value != 0) out_.covariance[{a, b}] = value;
      }
    return std::move(out_);
  }

 private:
  ExportedLayer::StandIn stand_in(const Question& question) const {
    if (question.point.processes < 2 || machine_.name == machine::ideal_machine().name)
      return ExportedLayer::StandIn::nothing;
    const machine::LinkChoice link =
        machine::link_for(machine_, question.point.processes, place(machine_, question).ranks_per_node);
    if (link.note.empty()) return ExportedLayer::StandIn::nothing;
    return link.link.empty() ? ExportedLayer::StandIn::all : ExportedLayer::StandIn::messages;
  }

  std::size_t case_of(const Question& question, const std::string& link) {
    const bool streams = !machine_.working_sets.empty();
    const auto [found, is_new] =
        cases_.try_emplace({link, streams ? streaming_cores(machine_, question) : 0}, out_.cases.size());
    if (is_new) out_.cases.push_back(make_case(question, link));
    return found->second;
  }

  ExportedCase make_case(const Question& question, const std::string& link) {
    const Layout layout = lay_out(out_.model);
    const Contributions all = contributions(out_.model, layout, machine_, question, link, factors_);
    std::vector<TermValue> terms;
    for (const Contribution& c : all.all) terms.push_back(c.term);
    ExportedCase out;
    out.grids = all.grids;
    out.depends_on_rank = all.depends_on_rank;
    for (const Contribution& c : all.all) out.terms.push_back(term_of(c));
    for (const Leaf& leaf : leaves(out_.model, terms))
      for (const std::size_t t : leaf.terms) out.terms[t].leaf = leaf_number(leaf);
    return out;
  }

  std::size_t leaf_number(const Leaf& leaf) {
    const auto [found, is_new] = leaf_numbers_.try_emplace({leaf.node, leaf.segment}, out_.leaves.size());
    if (is_new) out_.leaves.push_back({leaf.path, leaf.where});
    return found->second;
  }

  ExportedTerm term_of(const Contribution& c) {
    ExportedTerm out;
    out.part = c.term.part, out.segment = c.term.segment, out.interval = c.interval, out.phase = c.phase,
    out.seconds = c.term.seconds;
    if (c.term.part == Term::Part::memory) out.at_most = c.at_most;
    if (c.count) out.count = count_of(c);
    add_table_error(c, out);
    for (const Expression& symbol : free_symbols(c.term.seconds))
      if (symbol.kind() == symbolic::SymbolKind::machine_cost) add_slope(symbol, out);
    return out;
  }

  void add_slope(const Expression& symbol, ExportedTerm& out) {
    const auto parameter = parameters_.find(symbol.name());
    if (parameter == parameters_.end()) return;
    out_.machine.insert(*parameter);
    // Computing on the machine of the recordings does not depend on its measured speed.
    const auto& recorded = question_.recorded_machine;
    if (symbol.name() == "core_speed" && (!recorded || machine::has_same_core(*recorded, machine_))) return;
    if (parameter->second.standard_error > 0)
      out.slopes.emplace(symbol.name(), differentiate(out.seconds, symbol));
  }

  std::optional<ExportedCount> count_of(const Contribution& c) {
    const program::Count& count = *c.count;
    const bool fitted = count.origin == Origin::fitted && count.relative_error > 0;
    if (count.alternatives.empty() && !fitted) return std::nullopt;
    ExportedCount out{count.expression, c.per_count, count.alternatives};
    if (fitted) out.relative_error = count.relative_error;
    out.number =
        counts_.try_emplace(count.expression, static_cast<std::int64_t>(counts_.size())).first->second;
    if (!count.alternatives.empty()) out.settlings = settlings_of(count);
    return out;
  }

  std::vector<std::size_t> settlings_of(const program::Count& count) {
    const auto [found, is_new] = known_settlings_.try_emplace(&count);
    if (is_new)
      for (program::Settling& each : program::settlings(as_built_, count)) {
        // The recordings with these values determine the lattice.
        const auto [at, first] =
            settling_numbers_.try_emplace({each.variables, each.values}, out_.settlings.size());
        if (first) out_.settlings.push_back(std::move(each));
        found->second.push_back(at->second);
      }
    return found->second;
  }

  void add_table_error(const Contribution& c, ExportedTerm& out) const {
    const auto table = std::ranges::find(machine_.patterns, c.table, &machine::PatternCost::name);
    if (c.table.empty() || table == machine_.patterns.end()) return;
    out.table = c.table;
    for (const auto& piece : table->pieces)
      out.table_error = std::max(out.table_error, statistics::kNormalConsistency * piece.relative_error);
  }

  void add_remainder(const Solution& solution, const Question& question, ExportedLayer& layer) const {
    if (question.point.processes == 1) return;
    double chain = 0, phases = 0;
    for (const IntervalTime& interval : solution.intervals)
      chain += interval.chain, phases += interval.phases;
    const double rest = solution.seconds - chain;
    const bool fills = !solution.plan->fillings.empty();
    if (!fills && phases - chain > kClosedWithin * chain)
      layer.of_difference = rest / (phases - chain);
    else if (chain > 0 && std::abs(rest) > kClosedWithin * chain)
      layer.of_chain = rest / chain;
  }

  const Model& as_built_;
  const machine::Machine& machine_;
  const Question& question_;
  std::map<std::string, machine::Parameter> parameters_;
  std::vector<Expression> factors_;  // by segment
  std::map<std::pair<std::string, std::int32_t>, std::size_t> cases_;
  std::map<std::pair<program::NodeId, std::int32_t>, std::size_t> leaf_numbers_;
  std::map<Expression, std::int64_t> counts_;
  std::map<const program::Count*, std::vector<std::size_t>> known_settlings_;
  std::map<std::pair<std::vector<std::string>, std::vector<double>>, std::size_t> settling_numbers_;
  ExportedEquation out_;
};

}  // namespace

Result<ExportedEquation> export_equation(const Model& model, const machine::Machine& machine,
                                         const Question& question, std::span<const std::int32_t> processes,
                                         const std::map<std::string, double>& low,
                                         const std::map<std::string, double>& high) {
  if (machine.system)
    return Error{"costs of " + machine.name + " follow from a system of units and change with each question",
                 "", ""};
  Exporter exporter(model, machine, question, corners(question, processes, low, high));
  for (const std::int32_t p : processes) exporter.add(p);
  return exporter.finish();
}

}  // namespace parcast::predict
