// SPDX-License-Identifier: Apache-2.0
#pragma once
// What hypotheses say together: each sum of terms, and a power law, under several shares of discrepancy, weighed by evidence.
// A prediction follows the formula and carries on what the formula misses near the last points (universal kriging in doublings,
// docs/models/fit.md). Every answer is positive.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fit/correlation.h"
#include "fit/search.h"
#include "fit/shapes.h"
#include "statistics/growth.h"
#include "statistics/student_mixture.h"

namespace parcast::fit {

/// The values to explain, > 0, on the points of a design.
struct Observed {
  Points points;
  std::vector<double> values;
  std::vector<double> relative_errors;  // standard error of each value / value; empty: nothing was repeated
};

/// Relative standard deviation per doubling beyond the data that stands for what no hypothesis knows.
inline constexpr double kErrorPerDoubling = 0.05;

/// Which terms to try on the points of one or several kernels, and how the points lie.
struct Design {
  Shapes shapes;
  Correlation correlation;
  std::array<std::vector<double>, kRelations.size()> correlations;  // between all points; of no relation as of the first
};

/// All factors where one argument varies; of several, those that explain the lines along each of them best.
Design design_of(const Observed& observed, const Prior& prior);
/// For any values on these points, with one argument.
Design design_of_one_argument(const Points& points);
Design without(const Design& design, const std::vector<bool>& left_out);
Observed without(const Observed& observed, const std::vector<bool>& left_out);

class Mixture {
 public:
  struct Part {
    statistics::GrowthHypothesis hypothesis;  // its weight is the part's, of all 1
    std::size_t errors = 0;                   // which of kRelations
    std::vector<double> columns;              // whitened relative gradient on the data, one parameter after the other
    std::vector<double> carried;              // K^-1 ln(values / formula)
  };

  static Mixture fit(const Observed& observed, const Design& design, const Prior& prior);

  const std::vector<Part>& parts() const { return parts_; }  // by weight, the largest first
  double log_evidence() const { return log_evidence_; }      // up to a constant that all models of the same values share
  double relative_noise() const;                             // by weight: of one point, noise and discrepancy together

  /// The logarithm of the value at `point`, as a mixture of Student t distributions; `beyond` in doublings.
  std::vector<statistics::StudentComponent> at(std::span<const double> point, double beyond) const;
  /// The median of that by weights alone: cheap, and close to the true one.
  double typical(std::span<const double> point) const;
  /// The part whose formula is closest to all at these points, among those of at least a fifth of the largest weight.
  const Part& shown(const Points& points) const;

 private:
  /// Of the discrepancies at `point` with those at the data, for each relation of errors; of none empty.
  std::vector<std::vector<double>> covariances(std::span<const double> point) const;

  std::vector<Part> parts_;
  std::vector<Whitening> whitenings_;
  Points points_;
  Correlation correlation_{Points{}};
  double log_evidence_ = 0;
};

/// Doublings of `point` beyond the observed range: root of the sum of squares over arguments.
double doublings_beyond(const Points& observed, std::span<const double> point);

}  // namespace parcast::fit
