// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/solve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/binding.h"
#include "predict/dependence/classify.h"
#include "predict/equation/unfold.h"
#include "predict/question.h"

namespace parcast::predict {
namespace {

using program::kNone;
using program::Model;
using program::NodeId;
using symbolic::Expression;

std::size_t index(NodeId id) { return static_cast<std::size_t>(id); }

std::vector<double> parameter_values(const Model& model, const program::Point& point) {
  std::vector<double> out;
  for (const program::Parameter& parameter : model.parameters) out.push_back(point.parameters.at(parameter.name));
  return out;
}

std::string name_of(const Model& model, const Contribution& c) {
  if (c.term.segment >= 0) {
    const program::Segment& segment = model.segments[static_cast<std::size_t>(c.term.segment)];
    return "computing " + (segment.to == kNone ? "after the last call" : "before " + model.nodes[index(segment.to)].label);
  }
  return model.nodes[index(c.term.node)].label;
}

class Solver {
 public:
  Solver(const Model& model, const machine::Machine& machine, const Question& question)
      : model_(model), machine_(machine), question_(question), p_(question.point.processes) {}

  Result<Solution> solve() {
    const Placement placement = place(machine_, question_);
    const machine::LinkChoice link = machine::link_for(machine_, p_, placement.ranks_per_node);
    if (!link.note.empty() && p_ > 1) out_.warnings.push_back({"link-assumed", link.note, "calibrate the machine on several nodes"});
    out_.layout = lay_out(model_);
    out_.contributions = contributions(model_, out_.layout, machine_, question_, link.link);
    if (p_ > 1) append(out_.warnings, out_.contributions.warnings);
    costs_ = machine::cost_binding(machine_);
    extents_ = grid_extents(model_, question_.point);
    PARCAST_TRY(evaluate_candidates());
    choose();
    warn_of_demands();
    PARCAST_TRY(close());
    for (const Term& term : out_.terms) out_.seconds += term.value;
    return std::move(out_);
  }

 private:
  static void append(std::vector<Warning>& all, const std::vector<Warning>& more) { all.insert(all.end(), more.begin(), more.end()); }

  std::vector<Expression> seconds_of_all() const {
    std::vector<Expression> out;
    for (const Contribution& c : out_.contributions.all) out.push_back(c.term.seconds);
    return out;
  }

  Result<void> evaluate_candidates() {
    std::vector<std::vector<std::int32_t>> grids;
    for (const int d : out_.contributions.grids) grids.push_back(extents_[static_cast<std::size_t>(d)]);
    out_.candidates = candidate_ranks(grids, p_, out_.contributions.depends_on_rank);
    for (const std::int32_t rank : out_.candidates) {
      PARCAST_ASSIGN(symbolic::Binding binding, program::bind(model_, question_.point, rank));
      binding.insert(costs_.begin(), costs_.end());
      out_.bindings.push_back(std::move(binding));
    }
    if (out_.candidates.size() == 1) {
      for (const Contribution& c : out_.contributions.all) {
        PARCAST_ASSIGN(const double seconds, value_of(c, 0));
        values_.push_back({seconds});
      }
      return {};
    }
    PARCAST_ASSIGN(values_, evaluate(seconds_of_all(), out_.candidates));
    for (std::size_t t = 0; t < values_.size(); ++t)
      for (std::size_t k = 0; k < values_[t].size(); ++k)
        if (!std::isfinite(values_[t][k])) PARCAST_TRY(value_of(out_.contributions.all[t], k));
    return {};
  }

  Result<double> value_of(const Contribution& c, std::size_t candidate) const {
    auto value = symbolic::evaluate(c.term.seconds, out_.bindings[candidate]);
    if (!value) return Error{value.error().what, name_of(model_, c) + " of " + model_.program, value.error().hint};
    return value;
  }

  Result<RankValues> evaluate(const std::vector<Expression>& outputs, const std::vector<std::int32_t>& ranks) const {
    PARCAST_ASSIGN(const Compiled compiled, Compiled::compile(model_, outputs, costs_));
    const std::vector<double> parameters = parameter_values(model_, question_.point);
    std::vector<Station> stations;
    for (const std::int32_t rank : ranks) stations.push_back({p_, rank, &extents_, parameters});
    const std::vector<double> flat = compiled.evaluate(stations);
    RankValues out;
    for (std::size_t t = 0; t < outputs.size(); ++t)
      out.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(t * ranks.size()),
                       flat.begin() + static_cast<std::ptrdiff_t>((t + 1) * ranks.size()));
    return out;
  }

  // Sets every contribution to its value on the slowest rank of its interval.
  void choose() {
    out_.intervals = interval_times(out_.contributions, values_);
    for (std::size_t t = 0; t < out_.contributions.all.size(); ++t) {
      const Contribution& c = out_.contributions.all[t];
      const auto interval = std::find_if(out_.intervals.begin(), out_.intervals.end(),
                                         [&](const IntervalTime& i) { return i.closing == c.interval; });
      out_.chosen.push_back(interval->slowest);
      Term term = c.term;
      term.seconds = on_rank(term.seconds, interval->slowest);
      term.value = values_[t][interval->slowest];
      out_.terms.push_back(std::move(term));
    }
  }

  // Warns of collectives with more members or bytes than measured for their table, and of messages with more
  // bytes than measured for the link. Warns also of messages that pass no link. The sizes are those of the
  // slowest rank.
  void warn_of_demands() {
    for (const Demand& demand : out_.contributions.demands) {
      const bool message = demand.cost.table.empty();
      const auto interval = std::find_if(out_.intervals.begin(), out_.intervals.end(), [&](const IntervalTime& i) { return i.closing == out_.layout.interval_of_node[index(demand.node)]; });
      const symbolic::Binding& binding = out_.bindings[interval == out_.intervals.end() ? 0 : interval->slowest];
      const auto number = symbolic::evaluate(demand.number, binding), bytes = symbolic::evaluate(demand.bytes, binding), members = symbolic::evaluate(demand.members, binding);
      if (const auto others = symbolic::evaluate(demand.others, binding); others && *others < 1)
        add_unique(out_.warnings, {{"own-messages", "what a process sends to itself, as on a ring of one, is taken to cost no time", ""}});
      if (p_ == 1 || !number || !bytes || !members || !(*number > 0)) continue;
      const double each = *bytes / *number;
      const std::string text = message ? machine::beyond_link(machine_, out_.contributions.link, each) : machine::beyond_table(machine_.name, demand.cost, *members, each);
      const bool wider = !message && *members > demand.cost.most_processes && demand.cost.most_processes > 0;
      if (!text.empty()) add_unique(out_.warnings, {{"beyond-table", text, wider ? "calibrate with more processes" : "a longer --budget of parcast calibrate measures larger sizes, up to 64 MiB (one-sided accesses 1 MiB)"}});
    }
  }

  Expression on_rank(const Expression& expression, std::size_t candidate) const {
    if (!out_.contributions.depends_on_rank) return expression;
    symbolic::Substitution with;
    const symbolic::Binding& binding = out_.bindings[candidate];
    for (const Expression& symbol : free_symbols(expression))
      if (const auto value = binding.find(symbol.name()); symbol.kind() == symbolic::SymbolKind::rank && value != binding.end())
        with.emplace(symbol.name(), Expression(static_cast<std::int64_t>(value->second)));
    return substitute(expression, with);
  }

  // Adds what the chains of single ranks omit: the filling of pipelines, and waits for changing neighbours.
  Result<void> close() {
    if (p_ == 1) return {};
    const std::vector<Filling> filling = fillings(model_, out_.contributions, machine_, out_.layout);
    double chain = 0;
    double phases = 0;
    const IntervalTime* widest = nullptr;
    for (const IntervalTime& interval : out_.intervals) {
      chain += interval.chain;
      phases += interval.phases;
      if (!widest || interval.phases - interval.chain > widest->phases - widest->chain) widest = &interval;
    }
    if (filling.empty() && !(phases - chain > kClosedWithin * chain)) return {};
    double filled = 0;
    PARCAST_TRY(add_fillings(filling, filled));
    auto evaluated = recursion();
    if (evaluated) return add_correction(*evaluated - undisturbed() - filled, chain, filling, *widest), Result<void>();
    if (!filling.empty()) {
      out_.warnings.push_back({"pipeline-approximate", "the pipeline through the ranks was taken as filling and steady state only: " +
                                   evaluated.error().what, evaluated.error().hint});
    } else {
      add_correction(phases - chain, chain, filling, *widest);
      out_.warnings.push_back({"upper-bound", "different ranks are slowest in turn, and their times were added up: an upper bound", ""});
    }
    return {};
  }

  Result<void> add_fillings(const std::vector<Filling>& filling, double& filled) {
    for (const Filling& f : filling) {
      const auto interval = std::find_if(out_.intervals.begin(), out_.intervals.end(),
                                         [&](const IntervalTime& i) { return i.closing == f.interval; });
      const std::size_t candidate = interval == out_.intervals.end() ? 0 : interval->slowest;
      Term term;
      term.node = f.receive;
      term.part = Term::Part::wait;
      term.seconds = on_rank(f.seconds, candidate);
      const auto value = symbolic::evaluate(f.seconds, out_.bindings[candidate]);
      if (!value) return value.error();
      term.value = *value;
      term.origin = model_.nodes[index(f.loop)].executions.origin;
      term.cost_origin = Origin::fitted;
      filled += *value;
      out_.terms.push_back(std::move(term));
    }
    return {};
  }

  // Returns the sum of the chosen contributions that the recursion includes.
  double undisturbed() const {
    double sum = 0;
    for (std::size_t t = 0; t < out_.contributions.all.size(); ++t)
      if (!out_.contributions.all[t].noise) sum += out_.terms[t].value;
    return sum;
  }

  void add_correction(double seconds, double chain, const std::vector<Filling>& filling, const IntervalTime& widest) {
    if (!(std::abs(seconds) > kClosedWithin * chain)) return;
    Term term;
    term.node = !filling.empty() ? filling.front().receive : std::max(widest.closing, 0);
    term.part = Term::Part::wait;
    term.seconds = symbolic::real(seconds);
    term.value = seconds;
    term.origin = Origin::exact;
    for (const Term& other : out_.terms)
      if (other.value > 1e-3 * chain) term.origin = weaker(term.origin, other.origin);
    term.cost_origin = Origin::fitted;
    out_.terms.push_back(std::move(term));
    if (std::abs(seconds) > 1e-3 * chain)
      out_.warnings.push_back({"evaluated-numerically",
                               "different ranks are slowest in turn: " + format_seconds(std::abs(seconds)) +
                                   " of waiting come from the recursion evaluated in numbers, not from a closed form", ""});
  }

  // Returns the makespan of the recursion over all ranks.
  Result<double> recursion() const {
    if (p_ > kRecursionRanks)
      return Error{"more than " + std::to_string(kRecursionRanks) + " processes are not evaluated one by one", "", ""};
    Unfolding unfolding{&model_, &out_.layout, &out_.contributions, &extents_, p_, {}, {}, {}, {}};
    std::vector<Expression> outputs = seconds_of_all();
    const std::size_t first_loop = outputs.size();
    for (const program::Node& node : model_.nodes)
      outputs.push_back(node.executions.expression);
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(p_));
    std::iota(ranks.begin(), ranks.end(), 0);
    PARCAST_ASSIGN(RankValues values, evaluate(outputs, ranks));
    for (std::size_t n = first_loop; n < values.size(); ++n) {
      const bool loops = model_.nodes[n - first_loop].kind == program::NodeKind::loop;
      unfolding.loops.push_back(loops ? *std::max_element(values[n].begin(), values[n].end()) : 0);
      unfolding.executions.push_back(std::move(values[n]));
    }
    values.resize(first_loop);
    unfolding.values = std::move(values);
    for (const NodeId receive : dependence::classify(model_, 0).receives) {
      const MessageCost way = flight_of_one(model_, machine_, out_.contributions.link, receive);
      const std::size_t middle = out_.candidates.size() / 2;
      PARCAST_ASSIGN(const double startup, symbolic::evaluate(way.startup, out_.bindings[middle]));
      PARCAST_ASSIGN(const double transfer, symbolic::evaluate(way.transfer, out_.bindings[middle]));
      unfolding.delays[receive] = {0, startup, transfer};
    }
    PARCAST_ASSIGN(const dependence::Evaluation evaluation,
                   dependence::evaluate(unfold(unfolding), {.rank_steps = kRecursionSteps}));
    return evaluation.ranks[static_cast<std::size_t>(evaluation.slowest())].end;
  }

  const Model& model_;
  const machine::Machine& machine_;
  const Question& question_;
  const std::int32_t p_;
  symbolic::Binding costs_;
  GridExtents extents_;
  RankValues values_;
  Solution out_;
};

}  // namespace

Result<Solution> solve(const Model& model, const machine::Machine& machine, const Question& question) {
  PARCAST_TRY(check(model, question));
  if (model.nodes.empty()) return Error{"the model of " + model.program + " is empty", "", "record the program again"};
  return Solver(model, machine, question).solve();
}

}  // namespace parcast::predict
