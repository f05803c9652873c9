// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/solve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "model/binding.h"
#include "predict/dependence/classify.h"
#include "predict/equation/index.h"
#include "predict/equation/rank_groups.h"
#include "predict/equation/unfold.h"
#include "predict/question.h"

namespace parcast::predict {
namespace {

using program::kNone;
using program::Model;
using program::NodeId;
using symbolic::Expression;

void append(std::vector<Warning>& all, const std::vector<Warning>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string name_of(const Model& model, const Contribution& c) {
  if (c.term.segment >= 0) {
    const program::Segment& segment = model.segments[static_cast<std::size_t>(c.term.segment)];
    return "computing " +
           (segment.to == kNone ? "after the last call" : "before " + model.nodes[index(segment.to)].label);
  }
  return model.nodes[index(c.term.node)].label;
}

Result<symbolic::Binding> bind_rank(const Plan& plan, const program::Point& point, std::int32_t rank,
                                    std::span<const double> factors = {}) {
  PARCAST_ASSIGN(symbolic::Binding binding, program::bind(*plan.model, point, rank));
  binding.insert(plan.costs.begin(), plan.costs.end());
  if (plan.corrections)
    for (std::size_t s = 0; s < plan.model->segments.size(); ++s)
      binding.emplace(factor_symbol(s).name(), factors.empty() ? 1 : factors[s]);
  return binding;
}

/// Returns the index of the interval that a call closes, or kNone.
std::size_t interval_closed_by(const Plan& plan, NodeId closing) {
  const auto found = std::ranges::lower_bound(plan.intervals, closing);
  return found != plan.intervals.end() && *found == closing
             ? static_cast<std::size_t>(found - plan.intervals.begin())
             : column::kNone;
}

/// Layers by p and the parameters that give extents of process grids.
class Layers {
 public:
  explicit Layers(const Plan& plan) : plan_(plan) {}

  const Layer& at(const program::Point& point) {
    const Model& model = *plan_.model;
    std::vector<double> key{static_cast<double>(point.processes)};
    for (const program::ProcessGrid& grid : model.grids)
      for (const std::size_t v : grid.parameters)
        key.push_back(point.parameters.at(model.parameters[v].name));
    const auto [found, fresh] = layers_.try_emplace(std::move(key));
    if (fresh) {
      found->second.extents = grid_extents(model, point);
      std::vector<std::vector<std::int32_t>> grids;
      for (const int d : plan_.contributions.grids)
        grids.push_back(found->second.extents[static_cast<std::size_t>(d)]);
      found->second.candidates = candidate_ranks(grids, point.processes, plan_.contributions.depends_on_rank);
    }
    return found->second;
  }

 private:
  const Plan& plan_;
  std::map<std::vector<double>, Layer> layers_;
};

/// What is left of a question after its numbers have been evaluated.
class PointSolver {
 public:
  PointSolver(const std::shared_ptr<const Plan>& plan, const Question& question, const Layer& layer)
      : plan_(*plan), question_(question), layer_(layer), p_(question.point.processes) {
    out_.plan = plan;
    parameters_ = program::ordered_parameters(*plan_.model, question.point);
    if (plan_.corrections) correction_ = plan_.corrections->at(question.point);
  }

  void add_all_candidates(std::vector<Station>& stations) {
    first_ = stations.size();
    for (const std::int32_t rank : layer_.candidates) stations.push_back(station(rank));
  }

  /// Keeps one candidate for each distinct place. `places`: columns of `width` stations.
  void keep_distinct(std::span<const double> places, std::size_t width) {
    for (const std::size_t i : distinct(places, width, first_, layer_.candidates.size()))
      out_.candidates.push_back(layer_.candidates[i - first_]);
  }

  void add_candidates(std::vector<Station>& stations) {
    first_ = stations.size();
    for (const std::int32_t rank : out_.candidates) stations.push_back(station(rank));
  }

  /// Sets every contribution to its value on the slowest rank of its interval.
  Result<void> choose(std::span<const double> values, std::size_t width) {
    const auto value = [&](std::size_t t, std::size_t k) { return values[t * width + first_ + k]; };
    const std::size_t candidates = out_.candidates.size(), count = plan_.contributions.all.size();
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t k = 0; k < candidates; ++k)
        if (!std::isfinite(value(t, k))) PARCAST_TRY(check_value(plan_.contributions.all[t], k));
    add_intervals(value);
    out_.terms.reserve(count + 1), out_.chosen.reserve(count);
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t slowest = out_.intervals[plan_.interval_of[t]].slowest;
      out_.chosen.push_back(slowest);
      out_.terms.push_back(plan_.contributions.all[t].term);
      out_.terms.back().value = value(t, slowest);
    }
    return {};
  }

  void add_slowest(std::vector<Station>& stations) {
    first_ = stations.size();
    out_.details.resize(out_.candidates.size());
    std::vector<bool> is_needed(out_.candidates.size(), false);
    is_needed[0] = true;
    for (const IntervalTime& interval : out_.intervals) is_needed[interval.slowest] = true;
    for (std::size_t k = 0; k < out_.candidates.size(); ++k)
      if (is_needed[k]) stations.push_back(station(out_.candidates[k])), detailed_.push_back(k);
  }

  Result<Solution> finish(std::span<const double> details, std::size_t width) {
    const std::size_t columns = plan_.details->outputs();
    for (std::size_t i = 0; i < detailed_.size(); ++i) {
      std::vector<double>& here = out_.details[detailed_[i]];
      here.resize(columns);
      for (std::size_t c = 0; c < columns; ++c) here[c] = details[c * width + first_ + i];
    }
    if (!plan_.key.link_note.empty() && p_ > 1)
      out_.warnings.push_back(
          {"link-assumed", plan_.key.link_note, "calibrate the machine on several nodes"});
    if (p_ > 1) append(out_.warnings, plan_.contributions.warnings);
    warn_of_demands();
    PARCAST_TRY(close());
    for (const TermValue& term : out_.terms) out_.seconds += term.value;
    out_.notice = std::move(correction_.notice);
    return std::move(out_);
  }

 private:
  Station station(std::int32_t rank) const {
    return {p_, rank, &layer_.extents, parameters_, correction_.factors};
  }

  /// Returns the reason if the contribution has no value; a value may be infinite.
  Result<void> check_value(const Contribution& c, std::size_t candidate) const {
    PARCAST_ASSIGN(const symbolic::Binding binding,
                   bind_rank(plan_, question_.point, out_.candidates[candidate], correction_.factors));
    const auto value = symbolic::evaluate(c.term.seconds, binding);
    if (!value)
      return Error{value.error().what, name_of(*plan_.model, c) + " of " + plan_.model->program,
                   value.error().hint};
    return {};
  }

  template <class Value>
  void add_intervals(const Value& value) {
    const std::size_t candidates = out_.candidates.size();
    std::vector<double> chain(plan_.intervals.size() * candidates, 0.0), sum(candidates);
    for (const NodeId closing : plan_.intervals) out_.intervals.push_back({closing, 0, 0, 0});
    for (const PhaseOf& phase : plan_.phases) {
      std::ranges::fill(sum, 0.0);
      for (const std::size_t t : phase.contributions)
        for (std::size_t k = 0; k < candidates; ++k) sum[k] += value(t, k);
      out_.intervals[phase.interval].phases += *std::ranges::max_element(sum);
      for (std::size_t k = 0; k < candidates; ++k) chain[phase.interval * candidates + k] += sum[k];
    }
    for (std::size_t i = 0; i < out_.intervals.size(); ++i) {
      const auto begin = chain.begin() + static_cast<std::ptrdiff_t>(i * candidates);
      out_.intervals[i].slowest = static_cast<std::size_t>(
          std::max_element(begin, begin + static_cast<std::ptrdiff_t>(candidates)) - begin);
      out_.intervals[i].chain = chain[i * candidates + out_.intervals[i].slowest];
    }
  }

  std::size_t slowest_before(NodeId closing) const {
    const std::size_t interval = interval_closed_by(plan_, closing);
    return interval == column::kNone ? 0 : out_.intervals[interval].slowest;
  }

  /// Warns of collectives with more members or bytes than measured for their table, and of messages with more
  /// bytes than measured for the link. Warns also of messages that pass no link. The sizes are those of the
  /// slowest rank.
  void warn_of_demands() {
    for (std::size_t d = 0; d < plan_.contributions.demands.size(); ++d) {
      const Demand& demand = plan_.contributions.demands[d];
      const column::OfDemand& columns = plan_.of_demand[d];
      const std::vector<double>& here =
          out_.details[slowest_before(plan_.layout.interval_of_node[index(demand.node)])];
      const auto value = [&](std::size_t column) { return plan_.value(here, column, NAN); };
      if (value(columns.others) < 1)
        add_unique(out_.warnings,
                   {{"own-messages",
                     "what a process sends to itself, as on a ring of one, is taken to cost no time", ""}});
      const double number = value(columns.number), bytes = value(columns.bytes),
                   members = value(columns.members);
      if (p_ == 1 || std::isnan(bytes) || std::isnan(members) || !(number > 0)) continue;
      warn_beyond(demand, members, bytes / number);
    }
  }

  void warn_beyond(const Demand& demand, double members, double each) {
    const bool message = demand.cost.table.empty();
    const std::string text = message ? machine::beyond_link(*plan_.machine, plan_.contributions.link, each)
                                     : machine::beyond_table(plan_.machine->name, demand.cost, members, each);
    const bool wider = !message && members > demand.cost.most_processes && demand.cost.most_processes > 0;
    if (!text.empty())
      add_unique(out_.warnings, {{"beyond-table", text,
                                  wider ? "calibrate with more processes"
                                        : "a longer --budget of parcast calibrate measures larger sizes, up "
                                          "to 64 MiB (one-sided accesses 1 MiB)"}});
  }

  /// Adds what the chains of single ranks omit: the filling of pipelines, and waits for changing neighbours.
  Result<void> close() {
    if (p_ == 1) return {};
    double chain = 0;
    double phases = 0;
    const IntervalTime* widest = nullptr;
    for (const IntervalTime& interval : out_.intervals) {
      chain += interval.chain;
      phases += interval.phases;
      if (!widest || interval.phases - interval.chain > widest->phases - widest->chain) widest = &interval;
    }
    const std::vector<Filling>& filling = plan_.fillings;
    if (filling.empty() && !(phases - chain > kClosedWithin * chain)) return {};
    double filled = 0;
    PARCAST_TRY(add_fillings(filled));
    auto evaluated = recursion();
    if (evaluated) return add_correction(*evaluated - undisturbed() - filled, chain, *widest), Result<void>();
    if (!filling.empty()) {
      out_.warnings.push_back({"pipeline-approximate",
                               "the pipeline through the ranks was taken as filling and steady state only: " +
                                   evaluated.error().what,
                               evaluated.error().hint});
    } else {
      add_correction(phases - chain, chain, *widest);
      out_.warnings.push_back(
          {"upper-bound",
           "different ranks are slowest in turn, and their times were added up: an upper bound", ""});
    }
    return {};
  }

  Result<void> add_fillings(double& filled) {
    for (std::size_t f = 0; f < plan_.fillings.size(); ++f) {
      const Filling& filling = plan_.fillings[f];
      const std::size_t candidate = slowest_before(filling.interval);
      TermValue term;
      term.node = filling.receive;
      term.part = Term::Part::wait;
      term.value = plan_.value(out_.details[candidate], plan_.of_filling[f], NAN);
      if (std::isnan(term.value)) {
        PARCAST_ASSIGN(const symbolic::Binding binding,
                       bind_rank(plan_, question_.point, out_.candidates[candidate], correction_.factors));
        PARCAST_ASSIGN(term.value, symbolic::evaluate(filling.seconds, binding));
      }
      term.origin = plan_.model->nodes[index(filling.loop)].executions.origin;
      term.cost_origin = Origin::fitted;
      filled += term.value;
      out_.terms.push_back(term);
    }
    return {};
  }

  // Returns the sum of the chosen contributions that the recursion includes.
  double undisturbed() const {
    double sum = 0;
    for (std::size_t t = 0; t < plan_.contributions.all.size(); ++t)
      if (!plan_.contributions.all[t].noise) sum += out_.terms[t].value;
    return sum;
  }

  void add_correction(double seconds, double chain, const IntervalTime& widest) {
    if (!(std::abs(seconds) > kClosedWithin * chain)) return;
    TermValue term;
    term.node = !plan_.fillings.empty() ? plan_.fillings.front().receive : std::max(widest.closing, 0);
    term.part = Term::Part::wait;
    term.value = seconds;
    term.origin = Origin::exact;
    for (const TermValue& other : out_.terms)
      if (other.value > 1e-3 * chain) term.origin = weaker(term.origin, other.origin);
    term.cost_origin = Origin::fitted;
    out_.terms.push_back(term);
    if (std::abs(seconds) > 1e-3 * chain)
      out_.warnings.push_back(
          {"evaluated-numerically",
           "different ranks are slowest in turn: " + format_seconds(std::abs(seconds)) +
               " of waiting come from the recursion evaluated in numbers, not from a closed form",
           ""});
  }

  static RankValues rows(const std::vector<double>& flat, std::size_t width) {
    RankValues out;
    for (auto begin = flat.begin(); begin != flat.end(); begin += static_cast<std::ptrdiff_t>(width))
      out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
    return out;
  }

  // Returns the makespan of the recursion over all ranks.
  Result<double> recursion() const {
    if (p_ > kRecursionRanks)
      return Error{"more than " + std::to_string(kRecursionRanks) + " processes are not evaluated one by one",
                   "", ""};
    const Model& model = *plan_.model;
    Unfolding unfolding{&model, &plan_.layout, &plan_.contributions, &layer_.extents, p_, {}, {}, {}, {}};
    std::vector<Station> stations;
    for (std::int32_t rank = 0; rank < p_; ++rank) stations.push_back(station(rank));
    unfolding.values = rows(plan_.seconds->evaluate(stations), stations.size());
    std::vector<Expression> executions;
    for (const program::Node& node : model.nodes) executions.push_back(node.executions.expression);
    PARCAST_ASSIGN(const Compiled compiled, Compiled::compile(model, executions, plan_.costs));
    unfolding.executions = rows(compiled.evaluate(stations), stations.size());
    for (std::size_t n = 0; n < model.nodes.size(); ++n) {
      const bool loops = model.nodes[n].kind == program::NodeKind::loop;
      unfolding.loops.push_back(loops ? *std::ranges::max_element(unfolding.executions[n]) : 0);
    }
    PARCAST_TRY(add_delays(unfolding));
    PARCAST_ASSIGN(const dependence::Evaluation evaluation,
                   dependence::evaluate(unfold(unfolding), {.rank_steps = kRecursionSteps}));
    return evaluation.ranks[static_cast<std::size_t>(evaluation.slowest())].end;
  }

  Result<void> add_delays(Unfolding& unfolding) const {
    if (plan_.fillings.empty()) return {};
    PARCAST_ASSIGN(const symbolic::Binding binding,
                   bind_rank(plan_, question_.point, layer_.candidates[layer_.candidates.size() / 2]));
    for (const Filling& filling : plan_.fillings) {
      const MessageCost way =
          flight_of_one(*plan_.model, *plan_.machine, plan_.contributions.link, filling.receive);
      PARCAST_ASSIGN(const double startup, symbolic::evaluate(way.startup, binding));
      PARCAST_ASSIGN(const double transfer, symbolic::evaluate(way.transfer, binding));
      unfolding.delays[filling.receive] = {0, startup, transfer};
    }
    return {};
  }

  const Plan& plan_;
  const Question& question_;
  const Layer& layer_;
  const std::int32_t p_;
  std::vector<double> parameters_;
  Correction correction_;
  std::size_t first_ = 0;              // of this question's stations
  std::vector<std::size_t> detailed_;  // candidates with details
  Solution out_;
};

/// Returns the symbols of ranks and coordinates replaced by the values of a candidate.
Expression on_rank(const Expression& expression, const symbolic::Binding& binding) {
  symbolic::Substitution with;
  for (const Expression& symbol : free_symbols(expression))
    if (const auto value = binding.find(symbol.name());
        symbol.kind() == symbolic::SymbolKind::rank && value != binding.end())
      with.emplace(symbol.name(), Expression(static_cast<std::int64_t>(value->second)));
  return substitute(expression, with);
}

void add_formulas(SolvedFormulas& out) {
  const Plan& plan = *out.plan;
  const auto formula = [&](const Expression& seconds, std::size_t candidate) {
    return plan.contributions.depends_on_rank ? on_rank(seconds, out.bindings[candidate]) : seconds;
  };
  for (std::size_t t = 0; t < out.terms.size(); ++t) {
    const std::size_t filling = t - std::min(t, out.chosen.size());
    if (t < out.chosen.size()) {
      out.formulas.push_back(formula(plan.contributions.all[t].term.seconds, out.chosen[t]));
    } else if (filling < plan.fillings.size()) {
      const std::size_t interval = interval_closed_by(plan, plan.fillings[filling].interval);
      out.formulas.push_back(formula(plan.fillings[filling].seconds,
                                     interval == column::kNone ? 0 : out.intervals[interval].slowest));
    } else {
      out.formulas.push_back(symbolic::real(out.terms[t].value));
    }
  }
}

}  // namespace

std::vector<Result<Solution>> solve(const std::shared_ptr<const Plan>& plan,
                                    std::span<const Question* const> questions) {
  Layers layers(*plan);
  std::vector<PointSolver> points;
  points.reserve(questions.size());  // stations refer to members
  for (const Question* question : questions) points.emplace_back(plan, *question, layers.at(question->point));
  std::vector<Station> stations;
  for (PointSolver& point : points) point.add_all_candidates(stations);
  std::vector<double> values = plan->places->evaluate(stations);
  for (PointSolver& point : points) point.keep_distinct(values, stations.size());
  stations.clear();
  for (PointSolver& point : points) point.add_candidates(stations);
  values = plan->seconds->evaluate(stations);
  std::vector<Result<void>> chosen;
  for (PointSolver& point : points) chosen.push_back(point.choose(values, stations.size()));
  stations.clear();
  for (std::size_t i = 0; i < points.size(); ++i)
    if (chosen[i]) points[i].add_slowest(stations);
  values = plan->details->evaluate(stations);
  std::vector<Result<Solution>> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    out.push_back(chosen[i] ? points[i].finish(values, stations.size())
                            : Result<Solution>(chosen[i].error()));
  return out;
}

Result<void> check_not_empty(const Model& model) {
  if (model.nodes.empty())
    return Error{"the model of " + model.program + " is empty", "", "record the program again"};
  return {};
}

namespace {

Result<Solution> solve_one(const Model& model, const machine::Machine& machine, const Question& question,
                           PlanFor purpose) {
  PARCAST_TRY(check(model, question));
  PARCAST_TRY(check_not_empty(model));
  PARCAST_ASSIGN(const std::shared_ptr<const Plan> plan, make_plan(model, machine, question, purpose));
  const Question* const one = &question;
  return std::move(solve(plan, std::span(&one, 1)).front());
}

}  // namespace

Result<Solution> solve_values(const Model& model, const machine::Machine& machine, const Question& question) {
  return solve_one(model, machine, question, PlanFor::values);
}

Result<SolvedFormulas> solve(const Model& model, const machine::Machine& machine, const Question& question) {
  SolvedFormulas out;
  PARCAST_ASSIGN(static_cast<Solution&>(out), solve_one(model, machine, question, PlanFor::intervals));
  for (const std::int32_t rank : out.candidates) {
    PARCAST_ASSIGN(symbolic::Binding binding, bind_rank(*out.plan, question.point, rank));
    out.bindings.push_back(std::move(binding));
  }
  add_formulas(out);
  return out;
}

}  // namespace parcast::predict
