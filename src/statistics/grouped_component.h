// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the fits at all combinations of spreads (grouped.h): transforms rows with correlated errors to
// rows with uncorrelated errors of variance 1. Within a group the variance is D + between^2 m m' with D
// diagonal. Its symmetric root has a closed form, since the correlated part has rank one.

#include <span>
#include <vector>

#include "statistics/grouped.h"

namespace parcast::statistics {

/// Returns the variance of a row's own noise; at `typical` it is typical^2.
double noise_variance(double mean, double typical, const Spreads& spreads);

/// W with W' W = V^-1. D is given by `means`, and `shared` replaces m in the correlated part. Refers to
/// `groups`, which must outlive it.
class Whitening {
 public:
  Whitening(std::span<const std::size_t> groups, std::span<const double> means,
            std::span<const double> shared, double typical, const Spreads& spreads);

  std::size_t groups() const { return squares_.size(); }
  double log_determinant() const { return log_determinant_; }  // of V
  double deviation(std::size_t row) const { return deviation_[row]; }
  double along(std::size_t row) const { return along_[row]; }  // shared / deviation
  double inverse_diagonal(std::size_t row) const;              // of V^-1
  double effect_variance(std::size_t group) const;  // of the group's effect, conditional on its rows

  std::vector<double> apply(std::span<const double> column) const;       // W v
  std::vector<double> transposed(std::span<const double> column) const;  // W' v
  Matrix apply(const Matrix& design) const;

 private:
  void take_along(std::span<double> column) const;

  std::span<const std::size_t> groups_;
  double between_ = 0, log_determinant_ = 0;
  std::vector<double> deviation_, along_;  // by row
  std::vector<double> squares_, shrink_;   // by group: squared norm of along_
};

}  // namespace parcast::statistics
