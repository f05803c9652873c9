// SPDX-License-Identifier: Apache-2.0
#pragma once
// One kernel's mixture with what surrounds it: arguments, observations, calibration. Between fit_kernel and Mixture.

#include <memory>
#include <optional>
#include <vector>

#include "fit/fit.h"
#include "fit/mixture.h"
#include "fit/observations.h"

namespace parcast::fit {

struct Model {
  Arguments arguments;
  Observations observations;
  std::shared_ptr<const Design> design;
  std::optional<Mixture> mixture;           // nothing where there is nothing to fit, or all values are equal
  std::optional<double> constant;           // the value that all points have
  std::optional<double> validation_error;
  Calibration calibration;

  /// `point` has a column per parameter.
  Predicted predict(const std::vector<double>& point, double level) const;
  double log_evidence() const { return mixture ? mixture->log_evidence() : 0; }
};

/// `shared` may hold the design of the kernel's points, where one parameter varies.
Model model_of(const Kernel& kernel, const std::vector<std::string>& parameters, Statistic statistic, const Calibration& calibration,
               std::shared_ptr<const Design> shared = nullptr);

/// The points at the largest value of an argument that has at least four, and of one of at least five also those at its two
/// largest: what forward validation leaves out, a mask of each.
std::vector<std::vector<bool>> forward_folds(const Points& points);

/// Errors ln(predicted / measured) of the points of the folds, predicted from the others.
std::vector<double> forward_errors(const Observed& observed, const Design& design, const Prior& prior);

/// Where the measured values lie in what was predicted of them, in standard normal scores, for the largest values of each
/// argument of at least four: 1.645 is the upper end of a 90 % interval.
std::vector<double> forward_scores(const Observed& observed, const Design& design, const Prior& prior);

}  // namespace parcast::fit
