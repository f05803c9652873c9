// SPDX-License-Identifier: Apache-2.0
#include "fit/fit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include "base/text.h"
#include "fit/calibration.h"
#include "fit/factored.h"
#include "fit/model.h"

namespace parcast::fit {
namespace {

Result<void> check(const Kernel& kernel, const std::vector<std::string>& parameters) {
  const std::string where = kernel.callpath.empty() ? kernel.metric : kernel.callpath + ", " + kernel.metric;
  if (kernel.points.size() != kernel.values.size())
    return Error{"the kernel has " + std::to_string(kernel.points.size()) + " points and values for " + std::to_string(kernel.values.size()), where, ""};
  for (const auto& point : kernel.points)
    if (point.size() != parameters.size())
      return Error{"a point has " + std::to_string(point.size()) + " coordinates for " + std::to_string(parameters.size()) + " parameters", where, ""};
  return {};
}

Result<void> check(const std::vector<std::string>& parameters, const Options& options) {
  if (!(options.level > 0 && options.level < 1)) return Error{"the level of intervals is not between 0 and 1", "", "take for example 0.9"};
  for (const auto& point : options.asked) {
    if (point.size() != parameters.size())
      return Error{"an asked point has " + std::to_string(point.size()) + " coordinates for " + std::to_string(parameters.size()) + " parameters", "", ""};
    for (std::size_t j = 0; j < point.size(); ++j)
      if (!std::isfinite(point[j]) || point[j] < 0) return Error{parameters[j] + " is asked at a negative or infinite value", "", "parameters count something: >= 0"};
  }
  return {};
}

// Runs work(i) for all i on several threads; what each writes is its own.
template <class Work>
void for_each_index(std::size_t count, unsigned threads, const Work& work) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, count));
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(run);
  run();
  for (std::thread& thread : others) thread.join();
}

// Designs of kernels that were measured at the same points, where one parameter varies: most files have one.
class Designs {
 public:
  Designs(const std::vector<Kernel>& kernels, const std::vector<std::string>& parameters) {
    if (parameters.size() != 1) return;
    for (const Kernel& kernel : kernels)
      if (kernel.points.size() > 1 && !designs_.contains(kernel.points) && designs_.size() < kMost &&
          std::ranges::all_of(kernel.points, [](const auto& point) { return std::isfinite(point[0]) && point[0] >= 0; }))
        designs_[kernel.points] = std::make_shared<const Design>(design_of_one_argument(kernel.points));
  }
  std::shared_ptr<const Design> of(const Kernel& kernel) const {
    const auto at = designs_.find(kernel.points);
    return at == designs_.end() ? nullptr : at->second;
  }

 private:
  static constexpr std::size_t kMost = 64;
  std::map<Points, std::shared_ptr<const Design>> designs_;
};

std::map<std::string, Calibration> calibrations(const Measurements& measurements, const Options& options) {
  std::map<std::string, std::vector<const Kernel*>> by_metric;
  for (const Kernel& kernel : measurements.kernels) by_metric[kernel.metric].push_back(&kernel);
  std::vector<std::pair<std::string, Calibration>> found;
  for (const auto& [metric, kernels] : by_metric) found.push_back({metric, {}});
  for_each_index(found.size(), options.threads,
                 [&](std::size_t i) { found[i].second = calibrate(by_metric[found[i].first], measurements.parameters, options.statistic); });
  return {found.begin(), found.end()};
}

}  // namespace

Result<KernelFit> fit_kernel(const Kernel& kernel, const std::vector<std::string>& parameters, const Options& options,
                             const Calibration& calibration) {
  PARCAST_TRY(check(parameters, options));
  PARCAST_TRY(check(kernel, parameters));
  return describe(kernel, validated_model_of(kernel, parameters, options.statistic, calibration), parameters, options);
}

Result<Fits> fit_all(const Measurements& measurements, const Options& options) {
  PARCAST_TRY(check(measurements.parameters, options));
  for (const Kernel& kernel : measurements.kernels) PARCAST_TRY(check(kernel, measurements.parameters));
  const auto calibrated = calibrations(measurements, options);
  const Designs designs(measurements.kernels, measurements.parameters);
  Fits fits{measurements.parameters, {}, measurements.warnings, options.level};
  fits.kernels.resize(measurements.kernels.size());
  const CountsByPlace counts(measurements);
  for_each_index(fits.kernels.size(), options.threads, [&](std::size_t i) {
    const Kernel& kernel = measurements.kernels[i];
    const Calibration& calibration = calibrated.at(kernel.metric);
    const Model direct = validated_model_of(kernel, measurements.parameters, options.statistic, calibration, designs.of(kernel));
    fits.kernels[i] = describe(kernel, direct, measurements.parameters, options);
    if (!options.factored) return;
    const auto factored = best_factored(kernel, direct, counts, measurements.parameters, options, calibrated);
    if (factored) use_factored(fits.kernels[i], *factored, measurements.parameters, options);
  });
  return fits;
}

}  // namespace parcast::fit
