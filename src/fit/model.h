// SPDX-License-Identifier: Apache-2.0
#pragma once
// One kernel's mixture with what surrounds it: arguments, observations, calibration. Between fit_kernel and Mixture.

#include <cmath>
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
  Design design;
  std::optional<Mixture> mixture;           // nothing where there is nothing to fit, or all values are equal
  std::optional<double> constant;           // the value that all points have
  std::optional<double> validation_error;
  Calibration calibration;
  bool exact = false;                       // the formula of most weight gives every value to 1e-9
  double continued = 0;                     // weight of the last points' growth, for this kernel
  std::optional<Break> regime;              // a change of growth within the data
  std::shared_ptr<const Model> beyond;      // of the points beyond it, where it is followed

  /// `point` has a column per parameter.
  Predicted predict(const std::vector<double>& point, double level) const;
  Predicted of_constant(Predicted out, double level) const;
  double width_at(const std::vector<double>& at) const;
  /// Which model answers there: that of the last regime beyond a break.
  const Model& answering(const std::vector<double>& point) const;
  double log_evidence() const { return mixture ? mixture->log_evidence() : 0; }
};

/// Numbers > 0, moved to the ends of the range that is computed with where they lie outside.
Predicted cut_to_range(Predicted predicted);

/// Without a validation error.
Model model_of(const Kernel& kernel, const Layouts& layouts, Statistic statistic, const Calibration& calibration);
/// The same with it, and with what lies beyond a break: from there on the points of the last regime answer alone, where they have four
/// values at least of the parameter and predict their largest points no worse than all points do.
Model validated_model_of(const Kernel& kernel, const Layouts& layouts, Statistic statistic, const Calibration& calibration);

/// One point that was predicted from smaller ones, in logarithms.
struct Check {
  std::size_t argument = 0;         // in which it lies beyond
  double beyond = 0;                // doublings
  std::vector<statistics::StudentComponent> mixture;  // where it was asked for
  double middle = 0;                // the mixture's median
  std::optional<double> continued;  // by the growth of the last points
  double measured = 0;

  /// The predicted value with that weight of the latter.
  double predicted(double weight) const {
    if (!continued) return middle;
    return std::isfinite(middle) ? middle + weight * (*continued - middle) : *continued;  // formulas may have no value there
  }
};

/// What folds leave out, predicted from the rest: extrapolation judged as extrapolation. Only scores need distributions.
std::vector<Check> forward_checks(const Observed& observed, const Design& design, const Prior& prior, std::span<const Fold> folds, Detail detail);

/// Where the measured value lies in what was predicted of it, as a standard normal score: 1.645 is the upper end of a 90 %
/// interval.
double score(const Check& check, double continued_weight);

}  // namespace parcast::fit
