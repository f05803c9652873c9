// SPDX-License-Identifier: Apache-2.0
#pragma once
// A mixture of hypotheses: each sum of terms, and a power law, with several shares of discrepancy, weighted
// by evidence. A prediction follows the formula and extends its residuals near the last points (universal
// kriging in doublings, docs/models/fit.md). Every answer is positive.

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

/// Relative standard deviation per doubling beyond the data, for effects that no hypothesis covers: of sizes,
/// and of arguments that count processes.
inline constexpr double kErrorPerDoubling = 0.05, kErrorOverProcesses = 0.04;

/// The terms to try on the points of a kernel.
struct Design {
  std::shared_ptr<const Layout> layout;
  std::shared_ptr<const Shapes> shapes;

  /// Whether the terms are those of a parallel program (crossed.h).
  bool of_program() const { return !shapes->processes.empty(); }
};

/// Returns all factors if one argument varies. With several, returns those that best explain the lines along
/// each of them. Of times at few numbers of processes crossed with sizes, returns the terms of a parallel
/// program; counts follow formulas of all factors.
Design design_of(const Observed& observed, std::shared_ptr<const Layout> layout, const Prior& prior,
                 bool count = false);

/// Values at the points of a set.
struct Values {
  std::span<const double> values, relative_errors;  // as in Observed

  Values(std::span<const double> all, std::span<const double> errors)
      : values(all), relative_errors(errors) {}
  Values(const Observed& observed) : values(observed.values), relative_errors(observed.relative_errors) {}
};

/// The output requested of a mixture: medians only, or intervals and formulas too.
enum class Detail { values, distributions };

/// A point to predict, with data derived for a mixture.
struct Place {
  std::span<const double> point;
  std::vector<double> values;  // of each part's formula
  /// Covariance of the discrepancy here with those of the data's cells, per relation except the first: either
  /// known before, or computed for this place.
  std::array<std::span<const double>, kRelations.size()> known;
  std::array<std::vector<double>, kRelations.size()> found;

  std::span<const double> related(std::size_t relation) const {
    return found[relation].empty() ? known[relation] : found[relation];
  }
};

class Mixture {
 public:
  struct Part {
    // its weight is the part's, and the sum of all is 1; for values only, a sum's terms hold only
    // coefficients
    statistics::GrowthHypothesis hypothesis;
    std::vector<std::size_t> terms;  // of its sum, by index in Shapes; none for a power law
    std::size_t errors = 0;          // index in kRelations
    // Both only for correlated errors, a number per cell of the data; if each point is its own cell:
    std::vector<double> columns;  // whitened relative gradient on the data, one parameter after the other
    std::vector<double> carried;  // K^-1 ln(values / formula)
    /// A law with fixed shares, whose scale is the only parameter; null: a sum or a power law.
    const Law* law = nullptr;
    double scale = 1;
  };

  /// Fits sums of terms and a power law. The set must outlive the mixture.
  static Mixture fit(const Values& observed, const PointSet& set, const ShapesOn& on, const Prior& prior,
                     Detail detail);
  /// Fits the laws of few values, which the set must have; it must outlive the mixture.
  static Mixture fit_laws(const Values& observed, const PointSet& set, const Prior& prior, Detail detail);
  /// Returns whether sums compete with laws: from four points on they have misses.
  static bool sums_beside_laws(const PointSet& set) { return set.size() > 3; }
  /// Joins the laws of the same values to sums of terms, by evidence.
  void join(Mixture laws);

  const std::vector<Part>& parts() const { return parts_; }  // by weight, the largest first
  // up to a constant that all models of the same values share
  double log_evidence() const { return log_evidence_; }
  double relative_noise() const;  // weighted mean: of one point, noise and discrepancy together

  Place place(std::span<const double> point) const;
  /// For a left-out point: `shapes` are those of all points, `row` its own, `number` its index among those
  /// left out.
  Place place(const Fold& fold, std::size_t number, const Shapes& shapes,
              std::span<const double> point) const;

  /// Returns the logarithm of the value there, as a mixture of Student t distributions. `error` is the
  /// relative standard deviation of effects that no hypothesis covers.
  std::vector<statistics::StudentComponent> at(const Place& place, double error) const;
  /// Returns the median by weights alone: cheap, and close to that of the distribution.
  double typical(const Place& place) const;
  /// Returns the part whose formula is closest to all others at these points, among those with at least a
  /// fifth of the largest weight.
  const Part& shown(const Points& points) const;

 private:
  void begin(const Values& observed, const PointSet& set, const Prior& prior);

  std::vector<Part> parts_;
  std::array<std::shared_ptr<const Whitening>, kRelations.size()> whitenings_;
  std::size_t relations_ = 1;
  const PointSet* set_ = nullptr;
  double log_evidence_ = 0;
};

}  // namespace parcast::fit
