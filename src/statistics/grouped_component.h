// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the fits at all combinations of spreads share (grouped.h): rows of related errors as unrelated ones of variance 1. Within a group
// the variance is D + between^2 m m', D diagonal; its symmetric root is known in closed form, as the related part has rank one.

#include <span>
#include <vector>

#include "statistics/grouped.h"

namespace parcast::statistics {

/// Of a row's own noise, where the noise at `typical` is typical^2.
double noise_variance(double mean, double typical, const Spreads& spreads);

/// W with W' W = V^-1, D by `means` and the related part by `shared` in place of m. Looks at `groups`, which must outlive it.
class Whitening {
 public:
  Whitening(std::span<const std::size_t> groups, std::span<const double> means, std::span<const double> shared, double typical, const Spreads& spreads);

  std::size_t groups() const { return squares_.size(); }
  double log_determinant() const { return log_determinant_; }  // of V
  double deviation(std::size_t row) const { return deviation_[row]; }
  double along(std::size_t row) const { return along_[row]; }  // shared / deviation
  double inverse_diagonal(std::size_t row) const;              // of V^-1
  double effect_variance(std::size_t group) const;             // of the group's effect, given its rows

  std::vector<double> apply(std::span<const double> column) const;       // W v
  std::vector<double> transposed(std::span<const double> column) const;  // W' v
  Matrix apply(const Matrix& design) const;

 private:
  void take_along(std::span<double> column) const;

  std::span<const std::size_t> groups_;
  double between_ = 0, log_determinant_ = 0;
  std::vector<double> deviation_, along_;  // by row
  std::vector<double> squares_, shrink_;   // by group: of along_
};

}  // namespace parcast::statistics
