// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weighted linear regression y = X b + e with var(e_i) = sigma^2 / weight_i, by column-pivoted Householder
// QR, never by the normal equations. A design with dependent columns is fitted too. The indistinguishable
// columns are listed, and a prediction is returned only where every solution agrees on it.
// docs/models/regression.md.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "statistics/matrix.h"
#include "statistics/summary.h"

namespace parcast::statistics {

struct LeastSquaresOptions {
  /// One per row, finite and >= 0, in units of the inverse variance; empty means equal. A row of weight 0 is
  /// ignored.
  std::vector<double> weights;
  /// A column is dependent if its part that the others do not explain is below this fraction of its length;
  /// 0: rows x 2^-52.
  double rank_tolerance = 0;
  /// A row with a leverage above this is flagged, since the fit follows it almost whatever its value.
  double leverage_limit = 0.9;
};

/// Column `column` equals the sum of `factors[k]` x column `columns[k]` on all rows. Its own coefficient was
/// set to 0.
struct Alias {
  std::size_t column = 0;
  std::vector<std::size_t> columns;
  std::vector<double> factors;
};

struct Fit {
  std::vector<double> coefficients;        // per column; 0 for the column of an alias
  std::vector<double> standard_errors;     // per column; NaN where the column is not identified
  Matrix covariance;                       // of the coefficients, columns x columns
  std::vector<double> residuals;           // y - X b per row, unweighted
  std::vector<double> leverage;            // per row, 0 .. 1; their sum is the rank
  std::vector<std::size_t> high_leverage;  // rows above the limit
  double residual_standard_error = 0;      // sigma of a row of weight 1; 0 without degrees of freedom
  std::size_t degrees_of_freedom = 0;      // rows of positive weight - rank
  std::size_t rank = 0;
  std::vector<Alias> aliases;
  std::vector<std::size_t>
      // all columns whose coefficient is not identified, including the columns that aliases depend on
      aliased;
  std::vector<std::size_t> bound;  // nonnegative fits only: columns held at 0
  double condition = 0;            // of the kept columns at unit length, in the 2-norm
  Matrix factor;  // columns x rank; covariance = sigma^2 factor factor', but without cancellation
};

/// Fails if sizes disagree, if a number is not finite, or if there are fewer rows of positive weight than the
/// rank plus one.
Result<Fit> fit_least_squares(const Matrix& design, std::span<const double> response,
                              const LeastSquaresOptions& options = {});

/// The same with all coefficients >= 0 (Lawson and Hanson 1974, each step by the QR above). `bound` lists the
/// coefficients held at zero. Standard errors are those of the fit without these columns.
Result<Fit> fit_nonnegative(const Matrix& design, std::span<const double> response,
                            const LeastSquaresOptions& options = {});

/// Returns row b. Fails if the data do not determine it: outside the row space of a rank-deficient design.
Result<double> predict(const Fit& fit, std::span<const double> row);

/// Returns the expected response at `row` with its two-sided Student t interval.
Result<Interval> mean_interval(const Fit& fit, std::span<const double> row, double level);

/// Returns a new observation of weight `weight` at `row`. The interval includes the observation's own error.
Result<Interval> observation_interval(const Fit& fit, std::span<const double> row, double level,
                                      double weight = 1);

}  // namespace parcast::statistics
