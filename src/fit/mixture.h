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

#include "fit/layout.h"
#include "fit/observations.h"
#include "fit/search.h"
#include "statistics/growth.h"
#include "statistics/student_mixture.h"

namespace parcast::fit {

/// Relative standard deviation per doubling beyond the data that stands for what no hypothesis knows.
inline constexpr double kErrorPerDoubling = 0.05;

/// Which terms to try on the points of a kernel.
struct Design {
  std::shared_ptr<const Layout> layout;
  std::shared_ptr<const Shapes> shapes;
};

/// All factors where one argument varies; of several, those that explain the lines along each of them best.
Design design_of(const Observed& observed, std::shared_ptr<const Layout> layout, const Prior& prior);

/// Values on the points of a set.
struct Values {
  std::span<const double> values, relative_errors;  // as in Observed

  Values(std::span<const double> all, std::span<const double> errors) : values(all), relative_errors(errors) {}
  Values(const Observed& observed) : values(observed.values), relative_errors(observed.relative_errors) {}
};

/// What is asked of a mixture: medians alone, or intervals and formulas too.
enum class Detail { values, distributions };

/// A point to predict, as a mixture sees it.
struct Place {
  std::span<const double> point;
  std::vector<double> values;  // of each part's formula
  /// Covariance of the discrepancy here with those of the data's cells, per relation but the first: known
  /// before, or found for this place.
  std::array<std::span<const double>, kRelations.size()> known;
  std::array<std::vector<double>, kRelations.size()> found;

  std::span<const double> related(std::size_t relation) const { return found[relation].empty() ? known[relation] : found[relation]; }
};

class Mixture {
 public:
  struct Part {
    statistics::GrowthHypothesis hypothesis;  // its weight is the part's, of all 1; for values alone a sum's terms are coefficients
    std::vector<std::size_t> terms;           // of its sum, by their index in Shapes; of a power law none
    std::size_t errors = 0;                   // which of kRelations
    // Both of related errors only, a number per cell of the data; where each point is a cell of its own:
    std::vector<double> columns;              // whitened relative gradient on the data, one parameter after the other
    std::vector<double> carried;              // K^-1 ln(values / formula)
  };

  /// The set outlives the mixture.
  static Mixture fit(const Values& observed, const PointSet& set, const ShapesOn& on, const Prior& prior, Detail detail);

  const std::vector<Part>& parts() const { return parts_; }  // by weight, the largest first
  double log_evidence() const { return log_evidence_; }      // up to a constant that all models of the same values share
  double relative_noise() const;                             // by weight: of one point, noise and discrepancy together

  Place place(std::span<const double> point) const;
  /// Of a point left out: `shapes` are those of all points, `row` its own, `number` its place among those left out.
  Place place(const Fold& fold, std::size_t number, const Shapes& shapes, std::span<const double> point) const;

  /// The logarithm of the value there, as a mixture of Student t distributions; `beyond` in doublings.
  std::vector<statistics::StudentComponent> at(const Place& place, double beyond) const;
  /// The median of that by weights alone: cheap, and close to the true one.
  double typical(const Place& place) const;
  /// The part whose formula is closest to all at these points, among those of at least a fifth of the largest weight.
  const Part& shown(const Points& points) const;

 private:
  std::vector<Part> parts_;
  std::array<std::shared_ptr<const Whitening>, kRelations.size()> whitenings_;
  std::size_t relations_ = 1;
  const PointSet* set_ = nullptr;
  double log_evidence_ = 0;
};

}  // namespace parcast::fit
