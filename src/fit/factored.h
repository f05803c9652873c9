// SPDX-License-Identifier: Apache-2.0
#pragma once
// A time as a count times a cost. The count grows by the program's rules and has no noise; the cost of one
// hardly grows. If a kernel has a count besides its time at the same points, both are fitted separately.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "fit/model.h"

namespace parcast::fit {

/// Returns a fit as text: formula, tier, predictions.
KernelFit describe(const Kernel& kernel, const Model& model, const std::vector<std::string>& parameters,
                   const Options& options);

/// Returns whether a metric is a time, by its unit or its name: "s", "us", "seconds", "time", ...
bool is_time(const Kernel& kernel);

/// Returns whether a metric is a count, by its name or the unit B: "visits", "calls", "PAPI_FP_OPS", "bytes",
/// ...
bool is_count(const Kernel& kernel);

/// Metrics that are counts, by the place of the measurement.
class CountsByPlace {
 public:
  explicit CountsByPlace(const Measurements& measurements);
  /// Returns the counts at the kernel's place and points that are positive at every point and vary.
  std::vector<const Kernel*> of(const Kernel& kernel) const;

 private:
  std::map<std::string, std::vector<const Kernel*>> counts_;
};

/// Returns the cost of one counted item: times divided by the count's statistic at each point.
Kernel cost_kernel(const Kernel& time, const Kernel& count, Statistic statistic);
/// Returns the product; half widths in logarithms are added in squares.
Predicted product(const Predicted& count, const Predicted& cost);

struct Factored {
  const Kernel* counted = nullptr;
  Model count, cost;
};

/// Returns the count for which the cost explains the times clearly better than a formula of the times: by
/// validation, or by evidence unless validation clearly contradicts it. Returns nothing if there is none.
std::optional<Factored> best_factored(const Kernel& kernel, const Model& direct, const CountsByPlace& counts,
                                      const Layouts& layouts, const Options& options,
                                      const std::map<std::string, Calibration>& calibrations);

/// Replaces formula, tier, validation and predictions of the fit.
void use_factored(KernelFit& fit, const Factored& factored, const std::vector<std::string>& parameters,
                  const Options& options);

}  // namespace parcast::fit
