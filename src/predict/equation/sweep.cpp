// SPDX-License-Identifier: Apache-2.0
// Evaluates the totals of many points at once: the sums over phases are compiled once per link and evaluated
// in columns. Points that need the recursion are solved one by one.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "predict/dependence/classify.h"
#include "predict/equation/equation.h"
#include "predict/equation/rank_groups.h"
#include "predict/equation/solve.h"
#include "predict/question.h"
#include "predict/reconcile.h"

namespace parcast::predict {
namespace {

using program::Model;
using program::NodeId;
using symbolic::Expression;

constexpr std::size_t kStationsAtOnce = 2048;

// Common to all points with the same link and the same number of ranks that share memory.
struct TotalPlan {
  Contributions contributions;
  Compiled compiled;  // one output per phase
  // Expressions that depend on a rank's place; ranks with equal values of all of them share one station.
  Compiled places;
  std::vector<std::size_t> interval;  // of each output
  std::size_t intervals = 0;
};

struct Waiting {
  std::size_t question = 0;
  std::size_t first = 0;  // station of the first candidate
  std::size_t candidates = 0;
};

Result<TotalPlan> make_total_plan(const Model& model, const machine::Machine& machine,
                                  const Question& question, const Layout& layout, const std::string& link,
                                  const symbolic::Binding& costs) {
  Contributions all = contributions(model, layout, machine, question, link);
  std::map<std::pair<NodeId, NodeId>, std::vector<Expression>> phases;
  for (const Contribution& c : all.all) phases[{c.interval, c.phase}].push_back(c.term.seconds);
  std::vector<Expression> outputs;
  std::vector<std::size_t> interval;
  std::map<NodeId, std::size_t> numbers;
  for (const auto& [key, seconds] : phases) {
    outputs.push_back(symbolic::sum_of(seconds));
    interval.push_back(numbers.try_emplace(key.first, numbers.size()).first->second);
  }
  PARCAST_ASSIGN(Compiled compiled, Compiled::compile(model, outputs, costs));
  PARCAST_ASSIGN(Compiled places, Compiled::compile(model, rank_dependence(outputs), costs));
  return TotalPlan{std::move(all), std::move(compiled), std::move(places), std::move(interval),
                   numbers.size()};
}

class Sweep {
 public:
  Sweep(const Model& model, const machine::Machine& machine, std::span<const Question> questions)
      : model_(model),
        machine_(machine),
        questions_(questions),
        layout_(lay_out(model)),
        costs_(machine::cost_binding(machine)),
        results_(questions.size(), std::numeric_limits<double>::quiet_NaN()) {
    chained_ = !dependence::classify(model, 0).receives.empty();
  }

  Result<std::vector<double>> run() {
    std::map<std::pair<std::string, std::int32_t>, std::vector<std::size_t>> by_plan;
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      PARCAST_TRY(check(model_, questions_[q]));
      by_plan[{link_of(questions_[q]), streaming_cores(machine_, questions_[q])}].push_back(q);
    }
    for (const auto& [key, members] : by_plan) {
      PARCAST_ASSIGN(const TotalPlan plan, make_total_plan(model_, machine_, questions_[members.front()],
                                                           layout_, key.first, costs_));
      PARCAST_TRY(evaluate(plan, members));
    }
    return std::move(results_);
  }

 private:
  // Cached by p and ranks per node: choosing a link is slower than evaluating a point.
  const std::string& link_of(const Question& question) {
    const Placement placement = place(machine_, question);
    auto& link = links_[{question.point.processes, placement.ranks_per_node}];
    if (link.empty())
      link = machine::link_for(machine_, question.point.processes, placement.ranks_per_node).link;
    return link;
  }

  Result<void> evaluate(const TotalPlan& plan, const std::vector<std::size_t>& members) {
    const std::size_t width = model_.parameters.size();
    for (std::size_t begin = 0; begin < members.size();) {
      std::vector<Waiting> waiting;
      std::vector<Station> stations;
      std::vector<double> parameters;
      parameters.reserve((members.size() - begin) * width);
      for (; begin < members.size() && (stations.empty() || stations.size() < kStationsAtOnce); ++begin) {
        const Question& question = questions_[members[begin]];
        if ((chained_ && question.point.processes > 1) || below_recordings(question.point)) {
          PARCAST_TRY(solve_alone(members[begin]));
          continue;
        }
        const std::size_t offset = parameters.size();
        for (const program::Parameter& p : model_.parameters)
          parameters.push_back(question.point.parameters.find(p.name)->second);
        const Layer& layer = layer_of(question.point, plan);
        waiting.push_back({members[begin], stations.size(), layer.candidates.size()});
        for (const std::int32_t rank : layer.candidates)
          stations.push_back(
              {question.point.processes, rank, &layer.extents, {parameters.data() + offset, width}});
      }
      if (stations.empty()) continue;
      gather(plan, stations, waiting);
      PARCAST_TRY(finish(plan, stations, waiting));
    }
    return {};
  }

  // Keeps, for every question, one station for each distinct place.
  static void gather(const TotalPlan& plan, std::vector<Station>& stations, std::vector<Waiting>& waiting) {
    const std::vector<double> places = plan.places.evaluate(stations);
    std::vector<Station> kept;
    for (Waiting& w : waiting) {
      const std::size_t first = kept.size();
      for (const std::size_t station : distinct(places, stations.size(), w.first, w.candidates))
        kept.push_back(stations[station]);
      w.first = first;
      w.candidates = kept.size() - first;
    }
    stations = std::move(kept);
  }

  Result<void> finish(const TotalPlan& plan, const std::vector<Station>& stations,
                      const std::vector<Waiting>& waiting) {
    const std::vector<double> seconds = plan.compiled.evaluate(stations);
    std::vector<double> chain;
    std::vector<double> phases(plan.intervals);
    for (const Waiting& w : waiting) {
      chain.assign(plan.intervals * w.candidates, 0.0);
      std::fill(phases.begin(), phases.end(), 0.0);
      for (std::size_t o = 0; o < plan.interval.size(); ++o) {
        const double* of_phase = &seconds[o * stations.size() + w.first];
        double* of_interval = &chain[plan.interval[o] * w.candidates];
        double most = of_phase[0];
        for (std::size_t k = 0; k < w.candidates; ++k) {
          of_interval[k] += of_phase[k];
          most = of_phase[k] > most ? of_phase[k] : most;
        }
        phases[plan.interval[o]] += most;
      }
      double lower = 0;
      double upper = 0;
      for (std::size_t i = 0; i < plan.intervals; ++i) {
        lower += *std::max_element(&chain[i * w.candidates], &chain[i * w.candidates] + w.candidates);
        upper += phases[i];
      }
      if (w.candidates > 1 && upper - lower > kClosedWithin * lower) {
        PARCAST_TRY(solve_alone(w.question));
      } else {
        results_[w.question] = lower;
      }
    }
    return {};
  }

  Result<void> solve_alone(std::size_t question) {
    const Model here = model_at(model_, questions_[question].point);
    const auto solution = solve_values(here, machine_, questions_[question]);
    if (solution) results_[question] = solution->seconds;
    return {};
  }

  // Below the recordings, counts may be invalid (program::settled).
  bool below_recordings(const program::Point& point) const {
    return std::any_of(model_.parameters.begin(), model_.parameters.end(),
                       [&](const program::Parameter& parameter) {
                         return !parameter.values.empty() &&
                                point.parameters.find(parameter.name)->second < parameter.values.front();
                       });
  }

  const Layer& layer_of(const program::Point& point, const TotalPlan& plan) {
    std::vector<double> key{static_cast<double>(point.processes)};
    for (const program::ProcessGrid& grid : model_.grids)
      for (const std::size_t v : grid.parameters)
        key.push_back(point.parameters.at(model_.parameters[v].name));
    const auto [found, fresh] = layers_.try_emplace(std::move(key));
    if (fresh) {
      found->second.extents = grid_extents(model_, point);
      std::vector<std::vector<std::int32_t>> grids;
      for (const int d : plan.contributions.grids)
        grids.push_back(found->second.extents[static_cast<std::size_t>(d)]);
      found->second.candidates = candidate_ranks(grids, point.processes, plan.contributions.depends_on_rank);
    }
    return found->second;
  }

  const Model& model_;
  const machine::Machine& machine_;
  std::span<const Question> questions_;
  Layout layout_;
  symbolic::Binding costs_;
  bool chained_ = false;
  std::map<std::pair<std::int32_t, std::int32_t>, std::string> links_;
  // by p, and the parameters that give extents of process grids
  std::map<std::vector<double>, Layer> layers_;
  std::vector<double> results_;
};

}  // namespace

Result<std::vector<double>> sweep(const Model& model, const machine::Machine& machine,
                                  std::span<const Question> questions) {
  if (questions.empty()) return std::vector<double>{};
  PARCAST_TRY(check_not_empty(model));
  return Sweep(model, machine, questions).run();
}

}  // namespace parcast::predict
