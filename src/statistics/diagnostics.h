// SPDX-License-Identifier: Apache-2.0
#pragma once
// Regression diagnostics: which coefficients the data identify, which ones depend on each other, and which
// observations determine the fit on their own.

#include <span>
#include <vector>

#include "statistics/least_squares.h"

namespace parcast::statistics {

struct Diagnostics {
  std::vector<double> t_values;  // coefficient / standard error; NaN where aliased, 0 where bound to zero
  std::vector<std::size_t> not_identified;  // |t| < 2, aliased, or bound to zero
  Matrix correlation;  // of the coefficients; 0 off the diagonal where one has no variance
  /// Factor by which the other columns increase the coefficient's variance: 1 for orthogonal columns. It is
  /// computed about the origin instead of the mean, since cost regressions have no intercept.
  std::vector<double> variance_inflation;
  std::vector<double> standardized;  // residual / its own standard deviation, by row; 0 for rows of weight 0
  std::vector<double> cooks_distance;  // by row; infinite for a row that the fit must follow exactly
};

Diagnostics diagnose(const Fit& fit, const Matrix& design, const LeastSquaresOptions& options = {});

/// Pairs (normal quantile, sorted value) at Blom's plotting positions (i - 3/8) / (n + 1/4). They form a
/// straight line if the values are normal.
struct QuantilePair {
  double normal = 0;
  double value = 0;
};
std::vector<QuantilePair> quantile_plot(std::span<const double> values);

/// Huber's M-estimate by iterated weights. A residual beyond 1.345 robust standard deviations counts linearly
/// instead of squared, which keeps 95 % of the efficiency under normal errors. The fit is that of the final
/// weights.
struct RobustFit {
  Fit fit;
  std::vector<double> weights;            // given weights times Huber's, which are in 0 .. 1
  std::vector<std::size_t> downweighted;  // rows below half of their given weight
};
Result<RobustFit> fit_robust(const Matrix& design, std::span<const double> response,
                             const LeastSquaresOptions& options = {});

}  // namespace parcast::statistics
