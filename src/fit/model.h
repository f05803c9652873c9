// SPDX-License-Identifier: Apache-2.0
#pragma once
// One kernel's mixture with its arguments, observations and calibration. A layer between fit_kernel and
// Mixture.

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "fit/competition.h"
#include "fit/fit.h"
#include "fit/mixture.h"
#include "fit/observations.h"

namespace parcast::fit {

/// The last two values over processes fall faster than 1 / p: more than the work that is shared vanishes, as
/// when the data of a process begin to fit its cache.
struct Superlinear {
  std::string parameter;
  double before = 0, last = 0;  // the two values of the parameter
  double exponent = 0;          // of a power law through them
};

struct Model {
  Arguments arguments;
  Observations observations;
  Design design;
  std::optional<Mixture> mixture;  // nothing if there is nothing to fit, or if all values are equal
  std::optional<double> constant;  // the value of all points, if equal
  std::optional<double> validation_error;
  std::optional<Competition> competition;  // of few processes crossed with sizes
  Calibration calibration;
  bool exact = false;                   // the formula with the largest weight reproduces every value to 1e-9
  double continued = 0;                 // weight of the last points' growth, for this kernel
  std::optional<Break> regime;          // a change of growth within the data
  std::size_t regime_column = 0;        // the column of its parameter
  std::shared_ptr<const Model> beyond;  // fitted to the points beyond the break, if it is followed
  std::optional<Superlinear> superlinear;

  /// `point` has a column per parameter.
  Predicted predict(const std::vector<double>& point, double level) const;
  Predicted of_constant(Predicted out, double level) const;
  double width_at(const std::vector<double>& at) const;
  /// Relative standard deviations of effects beyond the data that no hypothesis covers: of the median, and of
  /// the two ends.
  struct Beyond {
    double middle = 0, below = 0, above = 0;
  };
  /// Returns the logarithm of the value there if the growth of the last points goes on.
  std::optional<double> last_growth(const std::vector<double>& at) const;
  bool grows_by_processes(const std::vector<double>& at) const;
  Beyond beyond_data(const std::vector<double>& at) const;
  /// Returns the model that predicts there: beyond a break, that of the last regime.
  const Model& answering(const std::vector<double>& point) const;
  double log_evidence() const { return mixture ? mixture->log_evidence() : 0; }
};

/// Replaces positive numbers out of range by the ends of the range.
Predicted cut_to_range(Predicted predicted);

/// Returns a model without a validation error.
Model model_of(const Kernel& kernel, const Layouts& layouts, Statistic statistic,
               const Calibration& calibration);
/// Returns a model with a validation error, and with a model beyond a break. Beyond it, only the points of
/// the last regime are used, if they have at least four values of the parameter and predict their largest
/// points no worse than all points do.
Model validated_model_of(const Kernel& kernel, const Layouts& layouts, Statistic statistic,
                         const Calibration& calibration);

/// One point that was predicted from smaller ones, in logarithms.
struct Check {
  std::size_t argument = 0;                           // the argument in which it lies beyond
  double beyond = 0;                                  // doublings
  std::vector<statistics::StudentComponent> mixture;  // on request
  double middle = 0;                                  // the mixture's median
  std::optional<double> continued;                    // by the growth of the last points
  double measured = 0;

  /// Returns the predicted value with that weight of the last points' growth.
  double predicted(double weight) const {
    if (!continued) return middle;
    // formulas may have no value there
    return std::isfinite(middle) ? middle + weight * (*continued - middle) : *continued;
  }
};

/// Predicts what folds leave out from the rest, which validates extrapolation. Only scores need
/// distributions.
std::vector<Check> forward_checks(const Observed& observed, const Design& design, const Prior& prior,
                                  std::span<const Fold> folds, Detail detail);

/// Returns the measured value's quantile in its predicted distribution, as a standard normal score: 1.645 is
/// the upper end of a 90 % interval.
double score(const Check& check, double continued_weight);

}  // namespace parcast::fit
