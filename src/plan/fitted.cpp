// SPDX-License-Identifier: Apache-2.0
#include "plan/fitted.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fit/calibration.h"
#include "fit/factored.h"
#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::plan {
namespace {

// Returns `count` values whose statistic is `value` and whose relative standard deviation is about `error`:
// normal scores.
std::vector<double> scattered(double value, double error, std::size_t count, fit::Statistic statistic) {
  std::vector<double> scores;
  double squares = 0;
  for (std::size_t k = 0; k < count; ++k) {
    scores.push_back(
        statistics::normal_quantile((static_cast<double>(k) + 0.5) / static_cast<double>(count)));
    squares += scores.back() * scores.back();
  }
  const double unit = squares > 0 ? error * std::sqrt(static_cast<double>(count - 1) / squares) : 0;
  std::vector<double> out;
  for (const double score : scores) out.push_back(std::exp(unit * score));
  const double scale = value / fit::of(statistic, out);
  for (double& each : out) each *= scale;
  return out;
}

std::size_t usual_repetitions(const fit::Kernel& kernel) {
  std::vector<double> counts;
  for (const auto& runs : kernel.values)
    if (!runs.empty()) counts.push_back(static_cast<double>(runs.size()));
  return counts.empty() ? 1 : static_cast<std::size_t>(statistics::median(counts));
}

// Returns the calibrations of the metrics that a fit of the kernel may use: its own, and those of its counts.
std::map<std::string, fit::Calibration> calibrations(const fit::Measurements& measurements,
                                                     const fit::Kernel& kernel,
                                                     const fit::CountsByPlace& counts,
                                                     const fit::Layouts& layouts, fit::Statistic statistic) {
  std::map<std::string, std::vector<const fit::Kernel*>> by_metric{{kernel.metric, {}}};
  for (const fit::Kernel* count : counts.of(kernel)) by_metric[count->metric];
  for (const fit::Kernel& each : measurements.kernels)
    if (const auto at = by_metric.find(each.metric); at != by_metric.end()) at->second.push_back(&each);
  std::map<std::string, fit::Calibration> out;
  for (const auto& [metric, kernels] : by_metric)
    out[metric] = fit::calibrate(kernels, layouts, statistic, fit::Options{}.threads);
  return out;
}

}  // namespace

Result<Fitted> Fitted::of(const fit::Measurements& measurements, std::size_t kernel, fit::Statistic statistic,
                          std::size_t repetitions) {
  const fit::Kernel& asked = measurements.kernels[kernel];
  fit::Options options;
  options.statistic = statistic;
  // reports errors in rows and columns
  PARCAST_TRY(fit::fit_kernel(asked, measurements.parameters, options));
  const fit::CountsByPlace counts(measurements);
  const auto layouts = std::make_shared<const fit::Layouts>(measurements.parameters);
  const auto calibrated = calibrations(measurements, asked, counts, *layouts, statistic);
  Fitted out(layouts, statistic, repetitions > 0 ? repetitions : usual_repetitions(asked));
  out.kernel_ = asked;
  const fit::Calibration& own = calibrated.at(asked.metric);
  out.values_ = {asked, own, fit::validated_model_of(asked, *layouts, statistic, own)};
  if (!out.values_.model.mixture && !out.values_.model.constant)
    return Error{"there is nothing to fit: no value is positive",
                 asked.callpath.empty() ? asked.metric : asked.callpath + ", " + asked.metric,
                 "take another metric or call path"};
  if (auto factored = fit::best_factored(asked, out.values_.model, counts, *layouts, options, calibrated)) {
    const fit::Kernel& count = *factored->counted;
    out.values_ = {fit::cost_kernel(asked, count, statistic), own, std::move(factored->cost)};
    out.count_ = Modelled{count, calibrated.at(count.metric), std::move(factored->count)};
  }
  return out;
}

fit::Predicted Fitted::predict(const Point& point, double level) const {
  const fit::Predicted values = values_.model.predict(point, level);
  return count_ ? fit::product(count_->model.predict(point, level), values) : values;
}

Interval Fitted::at(const Point& point, double level) const {
  const fit::Predicted predicted = predict(point, level);
  return {predicted.value, predicted.low, predicted.high};
}

double Fitted::count_at(const Point& point) const {
  return count_ ? count_->model.predict(point, 0.5).value : 1;
}

void Fitted::add(Modelled& modelled, const Point& point, double value) const {
  fit::Kernel& kernel = modelled.kernel;
  const auto known = std::ranges::find(kernel.points, point);
  const std::size_t row = static_cast<std::size_t>(known - kernel.points.begin());
  if (known == kernel.points.end()) {
    kernel.points.push_back(point);
    kernel.values.emplace_back();
  }
  for (const double each : scattered(value, modelled.model.observations.run_error, repetitions_, statistic_))
    kernel.values[row].push_back(each);
  // from predicting the largest points, which outcomes do not affect
  const double continued = modelled.model.continued;
  // A break that is followed is detected again; without one there is none to lose.
  const auto refit = modelled.model.beyond ? fit::validated_model_of : fit::model_of;
  modelled.model = refit(kernel, *layouts_, statistic_, modelled.calibration);
  modelled.model.continued = continued;
}

std::unique_ptr<const Belief> Fitted::after(const Point& point, double value) const {
  auto out = std::make_unique<Fitted>(*this);
  const double count = count_at(point);
  add(out->values_, point, value / count);
  if (out->count_) add(*out->count_, point, count);
  return out;
}

}  // namespace parcast::plan
