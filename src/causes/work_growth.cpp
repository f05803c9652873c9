// SPDX-License-Identifier: Apache-2.0
#include "causes/work_growth.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "causes/graph.h"
#include "statistics/growth.h"

namespace parcast::causes {
namespace {

double argument(const Run& run, const std::string& name) {
  return name == "p" ? run.processes : run.parameters.at(name);
}

/// Returns the values of some samples against the arguments.
statistics::GrowthData data_of(const Runs& runs, const PhaseRelation& relation,
                               const std::vector<std::size_t>& samples, bool times) {
  statistics::GrowthData data{argument_names(runs), {}, {}, {}};
  for (const std::size_t i : samples) {
    std::vector<double> point;
    for (const std::string& name : data.arguments)
      point.push_back(argument(runs.runs[relation.runs[i]], name));
    data.points.push_back(std::move(point));
    data.values.push_back(times ? relation.samples[i].seconds : relation.samples[i].work);
  }
  return data;
}

std::vector<std::size_t> all_of(const PhaseRelation& relation) {
  std::vector<std::size_t> all(relation.samples.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

bool depends(const statistics::GrowthHypothesis& hypothesis, std::size_t argument) {
  return std::any_of(hypothesis.terms.begin(), hypothesis.terms.end(), [&](const auto& term) {
    return term.exponents[argument] != 0 || term.log_powers[argument] != 0;
  });
}

/// Predicts the samples in `kept` from a growth that was fitted without them.
std::vector<double> predicted(const statistics::GrowthModel& growth, const Runs& runs,
                              const PhaseRelation& relation, const std::vector<std::size_t>& kept) {
  std::vector<double> values;
  for (const auto& point : data_of(runs, relation, kept, true).points)
    values.push_back(growth.predict(point, 0.9).value);
  return values;
}

double relative_error(const std::vector<double>& values, const PhaseRelation& relation,
                      const std::vector<std::size_t>& kept) {
  double sum = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const double deviation = values[i] / relation.samples[kept[i]].seconds - 1;
    sum += deviation * deviation;
  }
  return std::sqrt(sum / static_cast<double>(kept.size()));
}

/// Splits the samples into those at the largest value of an argument, and the others.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> split(const Runs& runs,
                                                                    const PhaseRelation& relation,
                                                                    const std::string& name) {
  double largest = 0;
  for (const std::size_t run : relation.runs) largest = std::max(largest, argument(runs.runs[run], name));
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < relation.runs.size(); ++i)
    (argument(runs.runs[relation.runs[i]], name) == largest ? out.first : out.second).push_back(i);
  return out;
}

std::optional<HeldOut> hold_out(const Runs& runs, const PhaseRelation& relation, const std::string& name) {
  const auto [kept, used] = split(runs, relation, name);
  std::set<double> seen;
  for (const std::size_t i : used) seen.insert(argument(runs.runs[relation.runs[i]], name));
  if (kept.empty() || used.size() < 6 || seen.size() < 3) return std::nullopt;
  std::vector<Sample> smaller;
  for (const std::size_t i : used) smaller.push_back(relation.samples[i]);
  const auto linear = find_break(smaller);
  const auto work = statistics::fit_growth(data_of(runs, relation, used, false)),
             time = statistics::fit_growth(data_of(runs, relation, used, true));
  if (!linear || !work || !time) return std::nullopt;
  std::vector<double> composed = predicted(*work, runs, relation, kept), known;
  for (double& value : composed) value *= linear->delta;
  for (const std::size_t i : kept) known.push_back(linear->delta * relation.samples[i].work);
  return HeldOut{relation.phase,
                 name,
                 kept.size(),
                 relative_error(known, relation, kept),
                 relative_error(composed, relation, kept),
                 relative_error(predicted(*time, runs, relation, kept), relation, kept)};
}

}  // namespace

std::vector<std::string> argument_names(const Runs& runs) {
  std::map<std::string, std::set<double>> values;
  std::map<std::string, std::size_t> given;
  std::set<std::int32_t> processes;
  for (const Run& run : runs.runs) {
    processes.insert(run.processes);
    for (const auto& [name, value] : run.parameters) values[name].insert(value), ++given[name];
  }
  std::vector<std::string> names;
  for (const auto& [name, distinct] : values)
    if (distinct.size() > 1 && given[name] == runs.runs.size()) names.push_back(name);
  if (processes.size() > 1) names.push_back("p");
  return names;
}

std::optional<WorkGrowth> work_growth(const Runs& runs, const PhaseRelation& relation) {
  const auto data = data_of(runs, relation, all_of(relation), false);
  if (data.arguments.empty()) return std::nullopt;
  const auto growth = statistics::fit_growth(data);
  if (!growth || growth->hypotheses.empty()) return std::nullopt;
  const auto& best = growth->hypotheses.front();
  WorkGrowth out{statistics::to_string(best, data.arguments), {}};
  for (std::size_t i = 0; i < data.arguments.size(); ++i)
    if (depends(best, i)) out.depends_on.push_back(data.arguments[i]);
  return out;
}

std::vector<HeldOut> held_out(const Runs& runs, const Analysis& analysis) {
  std::vector<HeldOut> out;
  for (const PhaseRelation& relation : analysis.relations)
    for (const std::string& name : argument_names(runs))
      if (relation.refinement && !relation.refinement->broken())
        if (auto held = hold_out(runs, relation, name)) out.push_back(std::move(*held));
  return out;
}

}  // namespace parcast::causes
