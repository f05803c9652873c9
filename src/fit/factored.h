// SPDX-License-Identifier: Apache-2.0
#pragma once
// A time as a count times a cost: how often something is done grows by the program's rules and without noise, what one time
// costs hardly grows. Where a kernel has a count beside its time at the same points, both are fitted apart.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "fit/model.h"

namespace parcast::fit {

/// A fit in words: formula, tier, predictions.
KernelFit describe(const Kernel& kernel, const Model& model, const std::vector<std::string>& parameters, const Options& options);

/// "s", "us", "seconds", "time", ...: a metric that is a time, by its unit or its name.
bool is_time(const Kernel& kernel);

/// "visits", "calls", "PAPI_FP_OPS", "bytes", ...: a metric that counts, by its name or the unit B.
bool is_count(const Kernel& kernel);

/// Metrics that count, by the place where they were measured.
class CountsByPlace {
 public:
  explicit CountsByPlace(const Measurements& measurements);
  /// Those at the kernel's place and points that are positive throughout and vary.
  std::vector<const Kernel*> of(const Kernel& kernel) const;

 private:
  std::map<std::string, std::vector<const Kernel*>> counts_;
};

/// The cost of one of what is counted: times over the count's statistic at each point.
Kernel cost_kernel(const Kernel& time, const Kernel& count, Statistic statistic);
/// Half widths in logarithms are added in squares.
Predicted product(const Predicted& count, const Predicted& cost);

struct Factored {
  const Kernel* counted = nullptr;
  Model count, cost;
};

/// The count for which the cost explains the times clearly better than a formula of the times does: by validation, or by evidence
/// where validation does not clearly say otherwise. Nothing where none does.
std::optional<Factored> best_factored(const Kernel& kernel, const Model& direct, const CountsByPlace& counts,
                                      const Layouts& layouts, const Options& options,
                                      const std::map<std::string, Calibration>& calibrations);

/// Replaces formula, tier, validation and predictions.
void use_factored(KernelFit& fit, const Factored& factored, const std::vector<std::string>& parameters, const Options& options);

}  // namespace parcast::fit
