// SPDX-License-Identifier: Apache-2.0
#include "fit/factored.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace parcast::fit {
namespace {

constexpr double kClearly = 0.9;  // fraction of the direct fit's validation error
constexpr double kMargin = 1;     // nats of evidence
constexpr double kSure = 0.5;     // fraction of the same, for the count alone

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Returns whether the count is known much better than the time; else it does not help.
bool sure(const Model& count, const Model& direct) {
  if (count.exact || count.constant) return true;
  return count.validation_error && direct.validation_error &&
         *count.validation_error < kSure * *direct.validation_error;
}

// Returns the error of predicting left-out points by both formulas together; nothing if the cost has none.
std::optional<double> validation(const Factored& factored) {
  if (!factored.cost.validation_error && !factored.cost.constant) return std::nullopt;
  return std::hypot(factored.cost.validation_error.value_or(0), factored.count.validation_error.value_or(0));
}

// Returns whether it is clearly better than a fit with that validation error and evidence.
bool clearly_better(const Factored& factored, std::optional<double> known_error, double log_evidence) {
  const auto error = validation(factored);
  const bool evident = factored.cost.mixture && factored.cost.log_evidence() > log_evidence + kMargin;
  if (!error || !known_error) return evident;
  return *error < kClearly * *known_error || (evident && kClearly * *error < *known_error);
}

std::string in_parentheses(const std::string& text) {
  return text.find(" + ") == std::string::npos ? text : "(" + text + ")";
}

}  // namespace

Kernel cost_kernel(const Kernel& time, const Kernel& count, Statistic statistic) {
  Kernel cost = time;
  for (std::size_t i = 0; i < cost.values.size(); ++i) {
    const double divisor = of(statistic, count.values[i]);
    for (double& value : cost.values[i]) value /= divisor;
  }
  return cost;
}

Predicted product(const Predicted& count, const Predicted& cost) {
  Predicted out = cost;
  out.value = count.value * cost.value;
  const double below = std::hypot(std::log(count.value / count.low), std::log(cost.value / cost.low));
  const double above = std::hypot(std::log(count.high / count.value), std::log(cost.high / cost.value));
  out.low = out.value * std::exp(-below);
  out.high = out.value * std::exp(above);
  out.distance = std::max(count.distance, cost.distance);
  out.unidentified = count.unidentified || cost.unidentified;
  out.cut = count.cut || cost.cut;
  return cut_to_range(std::move(out));
}

bool is_time(const Kernel& kernel) {
  static constexpr std::array units{"s", "ms", "us", "ns", "sec", "seconds", "min", "h"};
  if (!kernel.unit.empty()) return std::ranges::find(units, kernel.unit) != units.end();
  const std::string name = lower(kernel.metric);
  return name.find("time") != std::string::npos || name.find("second") != std::string::npos ||
         name.find("runtime") != std::string::npos || name.ends_with("_us") || name.ends_with("usec") ||
         name.ends_with("_ms") || name.ends_with("_ns");
}

bool is_count(const Kernel& kernel) {
  static constexpr std::array words{"visit", "call",      "count", "execution", "iteration", "flop",
                                    "_ops",  "operation", "byte",  "message",   "papi_",     "instruction"};
  const std::string name = lower(kernel.metric);
  return !is_time(kernel) && (kernel.unit == "B" || std::ranges::any_of(words, [&](const char* word) {
                                return name.find(word) != std::string::npos;
                              }));
}

CountsByPlace::CountsByPlace(const Measurements& measurements) {
  for (const Kernel& kernel : measurements.kernels)
    if (is_count(kernel)) counts_[kernel.callpath].push_back(&kernel);
}

std::vector<const Kernel*> CountsByPlace::of(const Kernel& kernel) const {
  std::vector<const Kernel*> out;
  const auto at = counts_.find(kernel.callpath);
  if (at == counts_.end() || !is_time(kernel)) return out;
  for (const Kernel* count : at->second) {
    if (count->points != kernel.points) continue;
    const auto positive = [](const std::vector<double>& runs) {
      return !runs.empty() && std::ranges::all_of(runs, [](double v) { return v > 0; });
    };
    if (!std::ranges::all_of(count->values, positive)) continue;
    const bool varies =
        std::ranges::any_of(count->values, [&](const auto& runs) { return runs[0] != count->values[0][0]; });
    if (varies) out.push_back(count);
  }
  return out;
}

std::optional<Factored> best_factored(const Kernel& kernel, const Model& direct, const CountsByPlace& counts,
                                      const Layouts& layouts, const Options& options,
                                      const std::map<std::string, Calibration>& calibrations) {
  std::optional<Factored> best;
  if (!direct.mixture) return best;
  for (const Kernel* count : counts.of(kernel)) {
    if (best && best->cost.constant) break;  // the time is proportional to that count
    Factored each{count,
                  validated_model_of(*count, layouts, options.statistic, calibrations.at(count->metric)),
                  validated_model_of(cost_kernel(kernel, *count, options.statistic), layouts,
                                     options.statistic, calibrations.at(kernel.metric))};
    if (!sure(each.count, direct)) continue;
    if (clearly_better(each, best ? validation(*best) : direct.validation_error,
                       best ? best->cost.log_evidence() : direct.log_evidence()))
      best = std::move(each);
  }
  return best;
}

void use_factored(KernelFit& fit, const Factored& factored, const std::vector<std::string>& parameters,
                  const Options& options) {
  const KernelFit count = describe(*factored.counted, factored.count, parameters, options);
  const KernelFit cost = describe(*factored.counted, factored.cost, parameters, options);
  fit.count = factored.counted->metric;
  fit.expression = in_parentheses(count.expression) + " * " + in_parentheses(cost.expression);
  fit.tier = weaker(count.tier, cost.tier);
  fit.validation_error = validation(factored);
  fit.relative_noise = cost.relative_noise;
  fit.formulas.clear();
  for (const Formula& formula : cost.formulas)
    fit.formulas.push_back(
        {in_parentheses(count.expression) + " * " + in_parentheses(formula.text), formula.weight});
  for (std::size_t i = 0; i < fit.predictions.size(); ++i)
    fit.predictions[i] = product(count.predictions[i], cost.predictions[i]);
}

}  // namespace parcast::fit
