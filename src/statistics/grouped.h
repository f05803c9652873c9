// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linear regression of times of several groups (programs), whose errors are mostly in proportion and shared within a group:
//
//   y_i = (x_i b) (1 + a_g(i)) + e_i,   a_g ~ (0, s_a^2),   var(e_i) = s_0^2 + (s_1 m_i)^2,   m_i = x_i b
//
// How large the three spreads are is not decided: each combination on a grid counts by its restricted likelihood, and what is said
// of a new time is the mixture of what they say. docs/models/regression.md.

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
  std::vector<std::size_t> groups;  // of each row: 0 .. groups - 1, each at least once
};

struct GroupedOptions {
  bool plain = false;        // ordinary least squares: equal spreads, groups alike
  bool robust = false;       // Huber's estimate: beyond 1.345 robust standard deviations a residual counts linearly
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
  double weight = 0;         // of the mixture: all together 1
  double log_likelihood = 0; // restricted, with the unit of the spreads integrated out
  Fit fit;                   // of the whitened rows: its sigma is the relative noise of a typical time
  /// Of each group: its effect a (its mean as the rows tell it, and its variance over sigma^2), and how it follows the coefficients.
  std::vector<double> effect, effect_variance;
  std::vector<std::vector<double>> effect_of_columns;
  double coefficient_factor = 1, noise_factor = 1;  // on variances, for what robust fits leave out
};

class GroupedFit {
 public:
  /// In the caller's columns; those that are held at zero, or that others replace, have the coefficient 0.
  std::vector<double> coefficients, standard_errors;  // of aliased columns NaN
  Matrix covariance;
  std::vector<Alias> aliases;
  std::vector<std::size_t> aliased, bound, kept;  // columns: not identified by aliases; held at 0; of the components
  std::size_t degrees_of_freedom = 0;
  double condition = 0;                       // of the likeliest component, whitened columns at unit length
  std::vector<double> variance_inflation;     // by column; infinite where aliased, 0 where bound
  double noise_constant = 0, noise_relative = 0, between = 0;  // s_0, s_1, s_a: means over the mixture
  double typical = 0;                         // geometric mean of the fitted times

  /// By row. `fitted` without the group's effect, `conditional` with it; residuals are response - conditional.
  std::vector<double> fitted, conditional, residuals;
  std::vector<double> leverage, standardized, cooks_distance;
  std::vector<double> distance;               // |residual| in robust standard deviations: what stands out
  std::vector<std::size_t> outliers;          // rows further than 4 of them
  std::vector<std::size_t> clipped;           // rows whose residual counted linearly

  const std::vector<GroupedComponent>& components() const { return components_; }

  /// x b; fails where the data do not determine it.
  Result<double> value(std::span<const double> row) const;
  /// The mean of times of such a row, over groups.
  Result<Interval> mean(std::span<const double> row, double level) const;
  /// A time of a group that is none of those in the data.
  Result<Interval> new_group(std::span<const double> row, double level) const;
  /// Another time of group g.
  Result<Interval> same_group(std::span<const double> row, std::size_t group, double level) const;

 private:
  friend class GroupedFitter;
  enum class Of { mean, new_group, same_group };
  Result<Interval> interval(std::span<const double> row, double level, Of what, std::size_t group) const;

  bool plain_ = false;
  std::vector<GroupedComponent> components_;          // by weight, descending
  Fit determined_;                                    // of all columns: tells what the data determine
};

/// Fails where sizes disagree, where a response is not positive, and where there are not more rows than columns that can be told apart.
Result<GroupedFit> fit_grouped(const GroupedData& data, const GroupedOptions& options = {});

/// The fit at one combination of spreads: the noise of a row is that of a time of `means` (> 0), its group's effect is in units of
/// `shared` (>= 0). Weight 1. Data whose columns are all identified.
Result<GroupedComponent> fit_at(const GroupedData& data, std::span<const double> means, std::span<const double> shared, double typical, const Spreads& spreads);

}  // namespace parcast::statistics
