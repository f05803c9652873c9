// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linear regression of times of several groups (programs). Errors are mostly proportional to the time and
// shared within a group:
//
//   y_i = (x_i b) (1 + a_g(i)) + e_i,   a_g ~ (0, s_a^2),   var(e_i) = s_0^2 + (s_1 m_i)^2,   m_i = x_i b
//
// The three spreads are not fixed. Each combination on a grid is weighted by its restricted likelihood, and
// the prediction of a new time is the mixture over all combinations. docs/models/regression.md.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "statistics/least_squares.h"
#include "statistics/student_mixture.h"

namespace parcast::statistics {

struct GroupedData {
  Matrix design;                    // rows x columns
  std::vector<double> response;     // > 0
  std::vector<std::size_t> groups;  // group of each row: 0 .. groups - 1, each at least once
};

struct GroupedOptions {
  bool plain = false;  // ordinary least squares: equal spreads, groups alike
  // Huber's estimate: a residual beyond 1.345 robust standard deviations counts linearly
  bool robust = false;
  bool nonnegative = false;  // coefficients >= 0
};

/// A combination of spreads, in units of the relative noise of a typical time.
struct Spreads {
  double level = 0;    // s_0 / s_1, a time; infinite: all noise is constant
  double between = 0;  // s_a
};

/// The generalised least squares fit at one combination of spreads.
struct GroupedComponent {
  Spreads spreads;
  double weight = 0;          // in the mixture; sum 1
  double log_likelihood = 0;  // restricted, with the unit of the spreads integrated out
  Fit fit;                    // of the whitened rows; its sigma is the relative noise of a typical time
  /// By group: the mean of its effect a, the variance of a over sigma^2, and the change of a with the
  /// coefficients.
  std::vector<double> effect, effect_variance;
  std::vector<std::vector<double>> effect_of_columns;
  // factors of variances, to correct for responses clipped by robust fits
  double coefficient_factor = 1, noise_factor = 1;
};

class GroupedFit {
 public:
  /// In the caller's columns. Columns held at zero and aliases have the coefficient 0.
  std::vector<double> coefficients, standard_errors;  // NaN for aliased columns
  Matrix covariance;
  std::vector<Alias> aliases;
  // columns: not identified because of aliases; held at 0; used in the components
  std::vector<std::size_t> aliased, bound, kept;
  std::size_t degrees_of_freedom = 0;
  double condition = 0;                    // of the likeliest component, with whitened columns at unit length
  std::vector<double> variance_inflation;  // by column; infinite where aliased, 0 where bound
  double noise_constant = 0, noise_relative = 0, between = 0;  // s_0, s_1, s_a: means over the mixture
  double typical = 0;                                          // geometric mean of the fitted times

  /// By row. `fitted` excludes the group's effect and `conditional` includes it; residuals are response -
  /// conditional.
  std::vector<double> fitted, conditional, residuals;
  std::vector<double> leverage, standardized, cooks_distance;
  std::vector<double> distance;       // |residual| in robust standard deviations
  std::vector<std::size_t> outliers;  // rows at a distance above 4
  std::vector<std::size_t> clipped;   // rows whose residual counted linearly

  const std::vector<GroupedComponent>& components() const { return components_; }

  /// Returns x b. Fails if the data do not determine it.
  Result<double> value(std::span<const double> row) const;
  /// Returns the mean time of such a row over all groups.
  Result<Interval> mean(std::span<const double> row, double level) const;
  /// Returns a time of a group that is not in the data.
  Result<Interval> new_group(std::span<const double> row, double level) const;
  /// Returns another time of group g.
  Result<Interval> same_group(std::span<const double> row, std::size_t group, double level) const;

 private:
  friend class GroupedFitter;
  enum class Of { mean, new_group, same_group };
  Result<Interval> interval(std::span<const double> row, double level, Of what, std::size_t group) const;

  bool plain_ = false;
  std::vector<GroupedComponent> components_;  // by weight, descending
  Fit determined_;                            // fit of all columns: decides what the data determine
};

/// Fails if sizes disagree, if a response is not positive, or if there are not more rows than distinguishable
/// columns.
Result<GroupedFit> fit_grouped(const GroupedData& data, const GroupedOptions& options = {});

/// Returns the fit at one combination of spreads, with weight 1. The noise of a row is that of a time of
/// `means` (> 0), and the effect of its group is in units of `shared` (>= 0). All columns of the data must be
/// identified.
Result<GroupedComponent> fit_at(const GroupedData& data, std::span<const double> means,
                                std::span<const double> shared, double typical, const Spreads& spreads);

}  // namespace parcast::statistics
