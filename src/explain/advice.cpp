// SPDX-License-Identifier: Apache-2.0
#include "explain/advice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.h"
#include "model/row_names.h"
#include "predict/question.h"

namespace parcast::explain {
namespace {

using program::Model;

constexpr double kWorthSaying = 0.05;  // fraction of the squared half width

std::string short_number(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? std::to_string(static_cast<long long>(value))
                                                              : format_significant(value, 3);
}

// Returns a worthwhile step between the end of the recorded range and the requested value: the geometric
// mean. If that equals the recorded value, returns the requested one. A parameter of zero or less is not a
// size, so no step is suggested.
std::optional<double> step_towards(double recorded, double asked) {
  if (!(recorded > 0 && asked > 0)) return std::nullopt;
  const double middle = std::round(std::sqrt(recorded * asked));
  return middle == recorded ? asked : middle;
}

constexpr const char* kWithCores = " with a core for each process";

/// Returns the largest recorded number of processes that had a core each; without recordings any number has.
double most_with_cores(const Model& model) {
  if (model.sources.empty()) return INFINITY;
  std::int32_t most = 0;
  for (const program::Source& source : model.sources)
    if (!source.oversubscribed) most = std::max(most, source.processes);
  return most;
}

std::string next_run(const Model& model, const predict::Question& question) {
  std::vector<std::string> parts;
  const auto beyond = predict::extrapolation(model, question.point);
  for (const program::Parameter& parameter : model.parameters)
    if (const auto factor = beyond.find(parameter.name); factor != beyond.end()) {
      const double asked = question.point.parameters.at(parameter.name);
      if (const auto step = step_towards(asked / factor->second, asked))
        parts.push_back(parameter.name + " = " + short_number(*step));
    }
  if (const auto factor = beyond.find("p"); factor != beyond.end())
    if (const auto step = step_towards(question.point.processes / factor->second, question.point.processes))
      parts.push_back("p = " + short_number(*step) + (*step > most_with_cores(model) ? kWithCores : ""));
  return join(parts, ", ");
}

std::string percent(double share) {
  return short_number(std::round(100 * share)) + " %";
}

}  // namespace

std::vector<Advice> advise(const Model& model, const predict::Question& question,
                           const predict::Solution& solution, const std::vector<double>& shares,
                           const std::vector<ParameterWeight>& sensitivities,
                           const predict::Estimate& total) {
  std::map<std::string, double> ambiguous;  // advice -> fraction
  std::map<std::int32_t, double> segments;
  for (std::size_t t = 0; t < solution.plan->contributions.all.size(); ++t) {
    const program::Count* count = solution.plan->contributions.all[t].count;
    if (count && count->origin == Origin::ambiguous && !count->alternatives.empty())
      ambiguous[count->advice.empty()
                    ? "record one more size, so that only one formula for the counts remains"
                    : "several formulas fit some counts; " + count->advice] += shares[t];
    else if (solution.terms[t].segment >= 0)
      segments[solution.terms[t].segment] += shares[t];
  }
  std::vector<Advice> out;
  for (const auto& [text, share] : ambiguous)
    if (share > kWorthSaying)
      out.push_back(
          {"ambiguous-count", text + "; that doubt is " + percent(share) + " of the uncertainty", share});
  const std::string run = next_run(model, question);
  double computing = 0;
  std::int32_t widest = -1;
  for (const auto& [segment, share] : segments) {
    computing += share;
    if (widest < 0 || share > segments.at(widest)) widest = segment;
  }
  if (widest >= 0 && computing > kWorthSaying) {
    const std::string why = "; " +
                            program::row_name(model, model.segments[static_cast<std::size_t>(widest)]) +
                            " causes " + percent(segments.at(widest)) + " of the uncertainty";
    out.push_back(run.empty() ? Advice{"repeat-runs", "repeat the recorded runs to average their noise" + why,
                                       computing}
                              : Advice{"record-larger", "record a run at " + run + why, computing});
  }
  const double half = (total.high - total.low) / 2;
  for (const ParameterWeight& w : sensitivities) {
    const double share = half > 0 ? std::min(1.0, w.half_width * w.half_width / (half * half)) : 0;
    if (share > kWorthSaying)
      out.push_back(
          {"calibrate",
           "the machine's " + w.sensitivity.parameter + " is uncertain" +
               (w.sensitivity.value != 0 ? " by " + percent(w.standard_error / std::abs(w.sensitivity.value))
                                         : "") +
               "; calibrate longer",
           share});
  }
  std::stable_sort(out.begin(), out.end(), [](const Advice& a, const Advice& b) {
    const bool first = a.code == "ambiguous-count";
    const bool second = b.code == "ambiguous-count";
    return first != second ? first : a.gain > b.gain;
  });
  return out;
}

}  // namespace parcast::explain
