// SPDX-License-Identifier: Apache-2.0
#include "fit/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/threads.h"
#include "fit/calibration.h"
#include "fit/factored.h"
#include "fit/laws.h"
#include "fit/model.h"
#include "fit/ranks.h"

namespace parcast::fit {
namespace {

Result<void> check(const Kernel& kernel, const std::vector<std::string>& parameters) {
  const std::string where = kernel.callpath.empty() ? kernel.metric : kernel.callpath + ", " + kernel.metric;
  if (kernel.points.size() != kernel.values.size())
    return Error{"the kernel has " + std::to_string(kernel.points.size()) + " points and values for " +
                     std::to_string(kernel.values.size()),
                 where, ""};
  for (const auto& point : kernel.points)
    if (point.size() != parameters.size())
      return Error{"a point has " + std::to_string(point.size()) + " coordinates for " +
                       std::to_string(parameters.size()) + " parameters",
                   where, ""};
  return {};
}

Result<void> check(const std::vector<std::string>& parameters, const Options& options) {
  if (!(options.level > 0 && options.level < 1))
    return Error{"the level of intervals is not between 0 and 1", "", "take for example 0.9"};
  for (const Change& change : options.changes)
    if (!(change.at > 0))
      return Error{change.parameter + " changes its growth at a value that is not positive", "",
                   "give the largest value of the law before"};
  for (const auto& point : options.asked) {
    if (point.size() != parameters.size())
      return Error{"an asked point has " + std::to_string(point.size()) + " coordinates for " +
                       std::to_string(parameters.size()) + " parameters",
                   "", ""};
    for (std::size_t j = 0; j < point.size(); ++j) {
      if (counts_processes(parameters[j]) && point[j] < 1)
        return Error{parameters[j] + " is asked at " + format_exact(point[j]), "",
                     "it counts processes: at least 1"};
      if (!std::isfinite(point[j]) || point[j] < 0)
        return Error{parameters[j] + " is asked at a negative or infinite value", "",
                     "parameters count something: >= 0"};
    }
  }
  return {};
}

std::map<std::string, Calibration> calibrations(const Measurements& measurements, const Layouts& layouts,
                                                const Options& options) {
  std::map<std::string, std::vector<const Kernel*>> by_metric;
  for (const Kernel& kernel : measurements.kernels) by_metric[kernel.metric].push_back(&kernel);
  std::map<std::string, Calibration> found;
  for (const auto& [metric, kernels] : by_metric) {
    found[metric] = calibrate(kernels, layouts, options.statistic, options.threads);
    found[metric].changes = options.changes;
  }
  return found;
}

}  // namespace

Result<KernelFit> fit_kernel(const Kernel& kernel, const std::vector<std::string>& parameters,
                             const Options& options, const Calibration& calibration) {
  PARCAST_TRY(check(parameters, options));
  PARCAST_TRY(check(kernel, parameters));
  Calibration own = calibration;
  own.changes = options.changes;
  return describe(kernel, validated_model_of(kernel, Layouts(parameters), options.statistic, own), parameters,
                  options);
}

Result<Fits> fit_all(const Measurements& measurements, const Options& options) {
  PARCAST_TRY(check(measurements.parameters, options));
  for (const Kernel& kernel : measurements.kernels) PARCAST_TRY(check(kernel, measurements.parameters));
  const Layouts layouts(measurements.parameters);
  const auto calibrated = calibrations(measurements, layouts, options);
  Fits fits{measurements.parameters, {}, measurements.warnings, options.level};
  fits.kernels.resize(measurements.kernels.size());
  const CountsByPlace counts(measurements);
  for_each_index(fits.kernels.size(), options.threads, [&](std::size_t i) {
    const Kernel& kernel = measurements.kernels[i];
    const Calibration& calibration = calibrated.at(kernel.metric);
    const Model direct = validated_model_of(kernel, layouts, options.statistic, calibration);
    fits.kernels[i] = describe(kernel, direct, measurements.parameters, options);
    if (!options.factored) return;
    const auto factored = best_factored(kernel, direct, counts, layouts, options, calibrated);
    if (factored) use_factored(fits.kernels[i], *factored, measurements.parameters, options);
  });
  join_ranks(fits);
  return fits;
}

}  // namespace parcast::fit
