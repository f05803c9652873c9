// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "explain/advice.h"
#include "explain/blocks.h"
#include "explain/scaling.h"
#include "predict/equation/regions.h"
#include "predict/equation/solve.h"
#include "predict/equation/uncertainty.h"
#include "predict/reconcile.h"
#include "statistics/distribution.h"

namespace parcast::explain {
namespace {

using predict::SolvedFormulas;

symbolic::Expression formula(const SolvedFormulas& solution, const std::vector<std::size_t>& terms) {
  std::vector<symbolic::Expression> seconds;
  for (const std::size_t t : terms) seconds.push_back(solution.formulas[t]);
  return symbolic::sum_of(seconds);
}

// Rows of the prediction hold the estimates; the leaves define the terms that each row consists of.
std::vector<Contribution> contributions(const program::Model& model, const SolvedFormulas& solution,
                                        const predict::Prediction& prediction,
                                        const std::vector<double>& interval_shares) {
  std::vector<Contribution> out;
  for (const predict::Leaf& leaf : predict::leaves(model, solution.terms)) {
    const auto row =
        std::find_if(prediction.regions.begin(), prediction.regions.end(), [&](const predict::RegionTime& r) {
          return r.node == leaf.node && r.path == leaf.path && r.where == leaf.where;
        });
    Contribution c;
    c.node = leaf.node;
    c.segment = leaf.segment;
    c.path = leaf.path;
    c.where = leaf.where;
    c.executions = leaf.executions;
    c.origin = leaf.origin;
    c.formula = formula(solution, leaf.terms);
    c.seconds = row->seconds;
    c.parts = row->parts;
    c.share = prediction.seconds.value > 0 ? c.seconds.value / prediction.seconds.value : 0;
    for (const std::size_t t : leaf.terms) c.interval_share += interval_shares[t];
    out.push_back(std::move(c));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Contribution& a, const Contribution& b) { return a.share > b.share; });
  double sum = 0;
  for (Contribution& c : out) c.cumulative = sum += c.share;
  return out;
}

std::vector<ParameterWeight> weights(const machine::Machine& machine, const predict::Question& question,
                                     std::vector<predict::Sensitivity> sensitivities) {
  const auto parameters = machine::cost_parameters(machine);
  const double z = statistics::normal_quantile(0.5 + question.level / 2);
  std::vector<ParameterWeight> out;
  for (predict::Sensitivity& s : sensitivities) {
    ParameterWeight w;
    w.sensitivity = std::move(s);
    if (const auto found = parameters.find(w.sensitivity.parameter); found != parameters.end()) {
      w.standard_error = found->second.standard_error;
      w.origin = found->second.origin;
    }
    w.half_width = z * std::abs(w.sensitivity.derivative) * w.standard_error;
    w.identified = std::abs(w.sensitivity.value) >= 2 * w.standard_error;
    out.push_back(std::move(w));
  }
  std::stable_sort(out.begin(), out.end(), [](const ParameterWeight& a, const ParameterWeight& b) {
    return std::abs(a.sensitivity.elasticity) > std::abs(b.sensitivity.elasticity);
  });
  return out;
}

std::vector<std::string> without_leverage(const machine::Machine& machine,
                                          const std::vector<ParameterWeight>& weights) {
  std::set<std::string> occurring;
  for (const ParameterWeight& w : weights)
    if (w.sensitivity.derivative != 0) occurring.insert(w.sensitivity.parameter);
  std::vector<std::string> out;
  for (const auto& [name, parameter] : machine::known_parameters(machine))
    if (!occurring.contains(name)) out.push_back(name);
  return out;
}

}  // namespace

Result<Explanation> explain(const program::Model& as_built, const machine::Machine& machine,
                            const predict::Question& question) {
  const program::Model model = predict::model_at(as_built, question.point);
  Explanation out;
  // resolves the counts itself
  PARCAST_ASSIGN(out.prediction, predict::equation_engine().predict(as_built, machine, question));
  PARCAST_ASSIGN(const SolvedFormulas solution, predict::solve(model, machine, question));
  PARCAST_ASSIGN(std::vector<predict::Sensitivity> found, predict::sensitivities(model, machine, question));
  const std::vector<double> shares = predict::Uncertainty(question, solution).shares();
  out.contributions = contributions(model, solution, out.prediction, shares);
  out.sensitivities = weights(machine, question, std::move(found));
  out.no_leverage = without_leverage(machine, out.sensitivities);
  out.blocks = block_contributions(model, solution);
  PARCAST_ASSIGN(out.growth, growth(model, machine, question, out.prediction.seconds.value));
  out.efficiency = efficiency(model, machine, out.prediction);
  out.crossovers = crossovers(model, machine, question);
  out.footprint = footprint(model, question.point).value_or(0);
  out.cache_steps = cache_steps(model, machine, question.point);
  if (!solution.bindings.empty())
    for (const Contribution& c : out.contributions)
      for (const symbolic::Expression& symbol : free_symbols(c.formula))
        if (const auto value = solution.bindings.front().find(symbol.name());
            value != solution.bindings.front().end())
          out.values.insert(*value);
  out.advice = advise(model, question, solution, shares, out.sensitivities, out.prediction.seconds);
  return out;
}

namespace {

double squared_width(const predict::Estimate& seconds) {
  return std::pow((seconds.high - seconds.low) / 2, 2);
}

/// Returns the contribution at the lines of a region; of several the one with its path. Null: there is none,
/// or none with its path.
const Contribution* at_the_place_of(const predict::RegionTime& region,
                                    const std::vector<Contribution>& closed) {
  const Contribution* found = nullptr;
  std::size_t count = 0;
  for (const Contribution& each : closed) {
    if (each.where.empty() || each.where != region.where ||
        (each.segment >= 0) != (region.parts.compute.value > 0))
      continue;
    if (each.path == region.path) return &each;
    found = &each, ++count;
  }
  return count == 1 ? found : nullptr;
}

/// Returns the regions of an answer, with the formulas of the closed form's contributions at the same place.
std::vector<Contribution> contributions_of(const predict::Prediction& answer,
                                           const std::vector<Contribution>& closed) {
  double squares = 0;
  for (const predict::RegionTime& region : answer.regions) squares += squared_width(region.seconds);
  std::vector<Contribution> out;
  double sum = 0;
  for (const predict::RegionTime& region : answer.regions) {
    Contribution c;
    if (const Contribution* same = at_the_place_of(region, closed))
      c.node = same->node, c.segment = same->segment, c.formula = same->formula;
    else
      c.has_formula = false;
    c.path = region.path, c.where = region.where, c.executions = region.executions;
    c.seconds = region.seconds, c.parts = region.parts, c.origin = region.origin;
    c.share = answer.seconds.value > 0 ? region.seconds.value / answer.seconds.value : 0;
    c.cumulative = sum += c.share;
    c.interval_share = squares > 0 ? squared_width(region.seconds) / squares : 0;
    out.push_back(std::move(c));
  }
  return out;
}

double computing_in(const predict::Prediction& prediction) {
  return prediction.parts.compute.value + prediction.parts.memory.value;
}

}  // namespace

void take_answer(const program::Model& model, const machine::Machine& machine,
                 const predict::Prediction& answer, Explanation& explanation) {
  const predict::Prediction closed = std::exchange(explanation.prediction, answer);
  if (answer.engine == closed.engine) return;
  explanation.contributions = contributions_of(answer, explanation.contributions);
  explanation.efficiency =
      efficiency(predict::model_at(model, answer.question.point), machine, explanation.prediction);
  const double ratio = closed.seconds.value > 0 ? answer.seconds.value / closed.seconds.value : 1;
  for (Growth& each : explanation.growth) each.seconds *= ratio;
  for (Crossover& each : explanation.crossovers) each.seconds *= ratio;
  for (ParameterWeight& each : explanation.sensitivities)
    each.sensitivity.derivative *= ratio, each.half_width *= ratio;
  const double of_computing = computing_in(closed) > 0 ? computing_in(answer) / computing_in(closed) : 1;
  for (BlockContribution& each : explanation.blocks) {
    each.seconds *= of_computing;
    each.share = answer.seconds.value > 0 ? each.seconds / answer.seconds.value : 0;
  }
}

}  // namespace parcast::explain
