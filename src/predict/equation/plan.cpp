// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/plan.h"

#include <algorithm>
#include <cmath>

#include "machine/tools.h"
#include "predict/equation/rank_groups.h"
#include "predict/intervals.h"
#include "predict/question.h"
#include "statistics/distribution.h"

namespace parcast::predict {
namespace {

using program::Model;
using program::NodeId;
using symbolic::Expression;

std::vector<Expression> seconds_of(const Contributions& contributions) {
  std::vector<Expression> out;
  for (const Contribution& c : contributions.all) out.push_back(c.term.seconds);
  return out;
}

/// Lists the expressions that intervals and warnings need, and compiles them together.
class DetailsBuilder {
 public:
  explicit DetailsBuilder(Plan& plan) : plan_(plan), parameters_(machine::cost_parameters(*plan.machine)) {}

  Result<void> build(PlanFor purpose) {
    if (purpose == PlanFor::intervals) {
      for (const Contribution& c : plan_.contributions.all) add_contribution(c);
      add_segments();
    }
    for (const Demand& demand : plan_.contributions.demands)
      plan_.of_demand.push_back(
          {add(demand.number), add(demand.bytes), add(demand.members), add(demand.others)});
    for (const Filling& filling : plan_.fillings) plan_.of_filling.push_back(add(filling.seconds));
    PARCAST_ASSIGN(plan_.details, Compiled::compile(*plan_.model, outputs_, plan_.costs));
    add_covariance();
    return {};
  }

 private:
  /// An expression with a symbol that has no value has no column.
  std::size_t add(const Expression& expression) {
    const auto [known, is_new] = columns_.try_emplace(expression, outputs_.size());
    if (!is_new) return known->second;
    if (!Compiled::accepts(*plan_.model, expression, plan_.costs)) return known->second = column::kNone;
    outputs_.push_back(expression);
    return known->second;
  }

  void add_contribution(const Contribution& c) {
    column::OfContribution& out = plan_.of_contribution.emplace_back();
    if (c.term.part == Term::Part::memory) out.at_most = add(c.at_most);
    if (c.count && !c.count->alternatives.empty()) {
      out.count = add(c.count->expression), out.per_count = add(c.per_count);
      for (const Expression& alternative : c.count->alternatives)
        out.alternatives.push_back(add(alternative));
    }
    for (const Expression& symbol : free_symbols(c.term.seconds)) {
      if (symbol.kind() != symbolic::SymbolKind::machine_cost) continue;
      // Computing on the machine of the recordings does not depend on its measured speed.
      if (symbol.name() == "core_speed" && has_recorded_core()) continue;
      const auto parameter = parameters_.find(symbol.name());
      if (parameter == parameters_.end() || !(parameter->second.standard_error > 0)) continue;
      out.slopes.push_back({number_of(*parameter), add(differentiate(c.term.seconds, symbol))});
    }
  }

  bool has_recorded_core() const {
    return !plan_.key.recorded_machine || machine::has_same_core(*plan_.key.recorded_machine, *plan_.machine);
  }

  std::size_t number_of(const std::pair<const std::string, machine::Parameter>& parameter) {
    const auto [known, is_new] = numbers_.try_emplace(parameter.first, plan_.uncertain.size());
    if (is_new) plan_.uncertain.push_back({parameter.first, parameter.second.standard_error});
    return known->second;
  }

  void add_segments() {
    for (const program::Segment& segment : plan_.model->segments) {
      column::OfSegment& out = plan_.of_segment.emplace_back();
      if (segment.cost.growth->hypotheses.empty()) continue;
      for (const Expression& argument : segment.cost.arguments) out.arguments.push_back(add(argument));
      for (const Expression& alternative : segment.cost.alternatives)
        out.cost_alternatives.push_back(add(alternative));
    }
  }

  void add_covariance() {
    for (const Uncertain& a : plan_.uncertain)
      for (const Uncertain& b : plan_.uncertain) {
        const double known = covariance(*plan_.machine, a.name, b.name);
        plan_.covariance.push_back(known == 0 && a.name == b.name ? a.standard_error * a.standard_error
                                                                  : known);
      }
  }

  Plan& plan_;
  std::map<std::string, machine::Parameter> parameters_;
  std::map<std::string, std::size_t> numbers_;
  std::map<Expression, std::size_t> columns_;
  std::vector<Expression> outputs_;
};

void order_phases(Plan& plan) {
  std::map<NodeId, std::map<NodeId, std::vector<std::size_t>>> sums;
  for (std::size_t t = 0; t < plan.contributions.all.size(); ++t)
    sums[plan.contributions.all[t].interval][plan.contributions.all[t].phase].push_back(t);
  plan.interval_of.resize(plan.contributions.all.size());
  for (auto& [closing, phases] : sums) {
    for (auto& [phase, members] : phases) {
      for (const std::size_t t : members) plan.interval_of[t] = plan.intervals.size();
      plan.phases.push_back({plan.intervals.size(), std::move(members)});
    }
    plan.intervals.push_back(closing);
  }
}

void number_sources(Plan& plan) {
  for (const machine::PatternCost& table : plan.machine->patterns) {
    double& misfit = plan.misfit_of_table.emplace_back(0);
    for (const auto& piece : table.pieces) misfit = std::max(misfit, piece.relative_error);
  }
  std::map<Expression, std::size_t> fitted;
  for (const Contribution& c : plan.contributions.all) {
    const auto table = std::ranges::find(plan.machine->patterns, c.table, &machine::PatternCost::name);
    const bool is_priced = !c.table.empty() && table != plan.machine->patterns.end();
    plan.table_of.push_back(is_priced ? static_cast<std::size_t>(table - plan.machine->patterns.begin())
                                      : column::kNone);
    const bool is_fitted = c.count && c.count->origin == Origin::fitted && c.count->relative_error > 0;
    plan.fitted_count_of.push_back(
        is_fitted ? fitted.try_emplace(c.count->expression, fitted.size()).first->second : column::kNone);
  }
  plan.fitted_counts = fitted.size();
}

}  // namespace

PlanKey plan_key(const machine::Machine& machine, const Question& question) {
  const Placement placement = place(machine, question);
  PlanKey out;
  machine::LinkChoice link = machine::link_for(machine, question.point.processes, placement.ranks_per_node);
  out.link = std::move(link.link), out.link_note = std::move(link.note);
  out.streaming_cores = machine.working_sets.empty() ? 0 : streaming_cores(machine, question);
  out.threads = question.threads;
  out.ranks_per_node = question.ranks_per_node;
  out.level = question.level;
  out.recorded_machine = question.recorded_machine.get();
  return out;
}

double Plan::value(std::span<const double> details_at_rank, std::size_t column, double otherwise) const {
  if (column == column::kNone) return otherwise;
  const double value = details_at_rank[column];
  return std::isnan(value) ? otherwise : value;
}

Result<std::shared_ptr<const Plan>> make_plan(const Model& model, const machine::Machine& machine,
                                              const Question& question, PlanFor purpose) {
  auto plan = std::make_shared<Plan>();
  plan->model = &model, plan->machine = &machine, plan->key = plan_key(machine, question);
  plan->layout = lay_out(model);
  std::vector<Expression> factors;
  if (is_reconciled(model)) {
    plan->corrections.emplace(model);
    for (std::size_t s = 0; s < model.segments.size(); ++s) factors.push_back(factor_symbol(s));
  }
  plan->contributions = contributions(model, plan->layout, machine, question, plan->key.link, factors);
  plan->costs = machine::cost_binding(machine);
  plan->fillings = fillings(model, plan->contributions, machine, plan->layout);
  plan->quantile = statistics::normal_quantile(0.5 + question.level / 2);
  plan->run_deviation = run_deviation(model, machine, question);
  plan->processor_spread = processor_spread(model, machine, question);
  order_phases(*plan);
  number_sources(*plan);
  const std::vector<Expression> seconds = seconds_of(plan->contributions);
  PARCAST_ASSIGN(plan->seconds, Compiled::compile(model, seconds, plan->costs));
  PARCAST_ASSIGN(plan->places, Compiled::compile(model, rank_dependence(seconds), plan->costs));
  PARCAST_TRY(DetailsBuilder(*plan).build(purpose));
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace parcast::predict
