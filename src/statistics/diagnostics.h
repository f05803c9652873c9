// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a person should look at before believing a regression: which coefficients the data identify, which
// depend on each other, and which observations decide the fit alone.

#include <span>
#include <vector>

#include "statistics/least_squares.h"

namespace parcast::statistics {

struct Diagnostics {
  std::vector<double> t_values;  // coefficient / standard error; NaN where aliased, 0 where bound to zero
  std::vector<std::size_t> not_identified;  // |t| < 2, aliased, or bound to zero
  Matrix correlation;  // of the coefficients; 0 off the diagonal where one has no variance
  /// By how much the other columns inflate the coefficient's variance: 1 for orthogonal columns. About the
  /// origin, not about the mean: cost regressions have no intercept.
  std::vector<double> variance_inflation;
  std::vector<double> standardized;  // residual / its own standard deviation, by row; 0 for rows of weight 0
  std::vector<double> cooks_distance;  // by row; infinite for a row that the fit must follow exactly
};

Diagnostics diagnose(const Fit& fit, const Matrix& design, const LeastSquaresOptions& options = {});

/// Pairs (normal quantile, sorted value) of Blom's plotting positions (i - 3/8) / (n + 1/4): a straight line
/// where the values are normal.
struct QuantilePair {
  double normal = 0;
  double value = 0;
};
std::vector<QuantilePair> quantile_plot(std::span<const double> values);

/// Huber's M-estimate by iterated weights: a residual beyond 1.345 robust standard deviations counts
/// linearly, not squared, which keeps 95 % of the efficiency under normal errors. The fit is that of the
/// final weights.
struct RobustFit {
  Fit fit;
  std::vector<double> weights;            // the given ones times Huber's, 0 .. 1 of it
  std::vector<std::size_t> downweighted;  // rows below half of their given weight
};
Result<RobustFit> fit_robust(const Matrix& design, std::span<const double> response,
                             const LeastSquaresOptions& options = {});

}  // namespace parcast::statistics
