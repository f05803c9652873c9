// SPDX-License-Identifier: Apache-2.0
#include "statistics/least_squares.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "statistics/distribution.h"
#include "statistics/qr.h"

namespace parcast::statistics {
namespace {

Result<void> check_sizes(const Matrix& design, std::span<const double> response,
                         const LeastSquaresOptions& options) {
  assert(design.values.size() == design.rows * design.columns);
  if (design.columns == 0) return Error{"the regression has no columns", "", "name at least one variable"};
  if (response.size() != design.rows)
    return Error{"the regression has " + std::to_string(design.rows) + " rows, but " +
                     std::to_string(response.size()) + " responses",
                 "", ""};
  if (!options.weights.empty() && options.weights.size() != design.rows)
    return Error{"the regression has " + std::to_string(design.rows) + " rows, but " +
                     std::to_string(options.weights.size()) + " weights",
                 "", ""};
  return {};
}

Result<void> check_numbers(const Matrix& design, std::span<const double> response,
                           const LeastSquaresOptions& options) {
  for (std::size_t i = 0; i < design.rows; ++i) {
    const std::string where = "row " + std::to_string(i + 1);
    if (!std::isfinite(response[i])) return Error{"a response is not a finite number", where, "leave it out"};
    for (std::size_t j = 0; j < design.columns; ++j)
      if (!std::isfinite(design(i, j)))
        return Error{"a variable is not a finite number", where + ", column " + std::to_string(j + 1),
                     "leave the row out"};
    if (options.weights.empty()) continue;
    if (!std::isfinite(options.weights[i]) || options.weights[i] < 0)
      return Error{"a weight is negative or not finite", where, "weights are inverse variances"};
  }
  return {};
}

// The rows of positive weight, each times the root of its weight. Least squares on them solves the weighted
// problem.
struct Weighted {
  Matrix design;
  std::vector<double> response;
  std::vector<std::size_t> rows;  // indices in the caller's design
};

Weighted apply_weights(const Matrix& design, std::span<const double> response,
                       const std::vector<double>& weights) {
  Weighted out;
  for (std::size_t i = 0; i < design.rows; ++i)
    if (weights.empty() || weights[i] > 0) out.rows.push_back(i);
  out.design = Matrix(out.rows.size(), design.columns);
  for (std::size_t k = 0; k < out.rows.size(); ++k) {
    const std::size_t i = out.rows[k];
    const double root = weights.empty() ? 1.0 : std::sqrt(weights[i]);
    for (std::size_t j = 0; j < design.columns; ++j) out.design(k, j) = root * design(i, j);
    out.response.push_back(root * response[i]);
  }
  return out;
}

// Solves the upper triangle of the first `rank` columns of r against `right`, in place.
void solve_upper(const Matrix& r, std::size_t rank, std::span<double> right) {
  for (std::size_t i = rank; i-- > 0;) {
    for (std::size_t j = i + 1; j < rank; ++j) right[i] -= r(i, j) * right[j];
    right[i] /= r(i, i);
  }
}

std::vector<Alias> find_aliases(const PivotedQr& qr) {
  std::vector<Alias> aliases;
  for (std::size_t d = qr.rank; d < qr.permutation.size(); ++d) {
    std::vector<double> factors(qr.rank);
    for (std::size_t i = 0; i < qr.rank; ++i) factors[i] = qr.r(i, d);
    solve_upper(qr.r, qr.rank, factors);
    Alias alias{qr.permutation[d], {}, {}};
    // Every column has a scaled length of 1 .. 2, so a factor this small is rounding error.
    for (std::size_t i = 0; i < qr.rank; ++i) {
      if (std::abs(factors[i]) < 1e-9) continue;
      alias.columns.push_back(qr.permutation[i]);
      alias.factors.push_back(factors[i] * qr.scale[qr.permutation[i]] / qr.scale[alias.column]);
    }
    aliases.push_back(std::move(alias));
  }
  std::sort(aliases.begin(), aliases.end(),
            [](const Alias& a, const Alias& b) { return a.column < b.column; });
  return aliases;
}

std::vector<std::size_t> all_aliased(const std::vector<Alias>& aliases) {
  std::vector<std::size_t> columns;
  for (const Alias& alias : aliases) {
    columns.push_back(alias.column);
    columns.insert(columns.end(), alias.columns.begin(), alias.columns.end());
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// Returns the inverse of r, unscaled, with its rows in the caller's order of columns.
Matrix inverse_factor(const PivotedQr& qr) {
  Matrix factor(qr.permutation.size(), qr.rank);
  for (std::size_t k = 0; k < qr.rank; ++k) {
    std::vector<double> unit(qr.rank, 0.0);
    unit[k] = 1;
    solve_upper(qr.r, qr.rank, unit);
    for (std::size_t i = 0; i < qr.rank; ++i)
      factor(qr.permutation[i], k) = unit[i] * qr.scale[qr.permutation[i]];
  }
  return factor;
}

void fill_errors(Fit& fit) {
  const std::size_t n = fit.factor.rows;
  const double variance = fit.residual_standard_error * fit.residual_standard_error;
  fit.covariance = Matrix(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < fit.rank; ++k) sum += fit.factor(i, k) * fit.factor(j, k);
      fit.covariance(i, j) = variance * sum;
    }
  fit.standard_errors.resize(n);
  for (std::size_t i = 0; i < n; ++i) fit.standard_errors[i] = std::sqrt(fit.covariance(i, i));
  for (const std::size_t i : fit.aliased) fit.standard_errors[i] = std::numeric_limits<double>::quiet_NaN();
}

void fill_residuals(Fit& fit, const Matrix& design, std::span<const double> response,
                    const Weighted& weighted, std::span<const double> weighted_residuals,
                    const std::vector<double>& weights) {
  fit.residuals.resize(design.rows);
  for (std::size_t i = 0; i < design.rows; ++i) {
    const auto row = design.row(i);
    fit.residuals[i] =
        response[i] - std::inner_product(row.begin(), row.end(), fit.coefficients.begin(), 0.0);
  }
  // Rows in the fit use the refined residual, since a difference of large numbers would be inexact.
  double squares = 0;
  for (std::size_t k = 0; k < weighted.rows.size(); ++k) {
    const std::size_t i = weighted.rows[k];
    fit.residuals[i] = weighted_residuals[k] / (weights.empty() ? 1.0 : std::sqrt(weights[i]));
    squares += weighted_residuals[k] * weighted_residuals[k];
  }
  if (fit.degrees_of_freedom > 0)
    fit.residual_standard_error = std::sqrt(squares / static_cast<double>(fit.degrees_of_freedom));
}

void fill_leverage(Fit& fit, const PivotedQr& qr, const Weighted& weighted, std::size_t rows, double limit) {
  fit.leverage.assign(rows, 0.0);
  for (std::size_t k = 0; k < weighted.rows.size(); ++k) {
    double sum = 0;
    for (const double entry : qr.q.row(k)) sum += entry * entry;
    fit.leverage[weighted.rows[k]] = std::min(sum, 1.0);
    if (sum > limit) fit.high_leverage.push_back(weighted.rows[k]);
  }
}

// Returns whether `row` is in the row space: an alias's column must be its combination of the others there
// too.
bool inside_row_space(const Fit& fit, std::span<const double> row) {
  constexpr double kTolerance = 1e-8;
  for (const Alias& alias : fit.aliases) {
    double difference = row[alias.column];
    double size = std::abs(difference);
    for (std::size_t k = 0; k < alias.columns.size(); ++k) {
      const double part = alias.factors[k] * row[alias.columns[k]];
      difference -= part;
      size += std::abs(part);
    }
    if (std::abs(difference) > kTolerance * size) return false;
  }
  return true;
}

// Returns the length by which sigma is multiplied to give the standard deviation of row b.
double spread(const Fit& fit, std::span<const double> row) {
  double squares = 0;
  for (std::size_t k = 0; k < fit.rank; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * fit.factor(i, k);
    squares += sum * sum;
  }
  return std::sqrt(squares);
}

Result<Interval> interval(const Fit& fit, std::span<const double> row, double level, double own_variance) {
  assert(level > 0 && level < 1);
  PARCAST_ASSIGN(const double value, predict(fit, row));
  const double length = spread(fit, row);
  const double t = student_t_quantile(0.5 + level / 2, static_cast<double>(fit.degrees_of_freedom));
  const double half = t * fit.residual_standard_error * std::sqrt(length * length + own_variance);
  return Interval{value, value - half, value + half};
}

}  // namespace

Result<Fit> fit_least_squares(const Matrix& design, std::span<const double> response,
                              const LeastSquaresOptions& options) {
  PARCAST_TRY(check_sizes(design, response, options));
  PARCAST_TRY(check_numbers(design, response, options));
  const Weighted weighted = apply_weights(design, response, options.weights);
  const double tolerance =
      options.rank_tolerance > 0 ? options.rank_tolerance : std::ldexp(static_cast<double>(design.rows), -52);
  const PivotedQr qr = pivoted_qr(weighted.design, tolerance);
  if (weighted.rows.size() <= qr.rank)
    return Error{std::to_string(weighted.rows.size()) + " observations are too few for " +
                     std::to_string(design.columns) + " coefficients",
                 "",
                 "make more runs, or leave variables out; at least one more run than coefficients is needed"};
  const QrSolution solution = solve(qr, weighted.design, weighted.response);
  Fit fit;
  fit.coefficients = solution.x;
  fit.rank = qr.rank;
  fit.condition = qr.condition;
  fit.degrees_of_freedom = weighted.rows.size() - qr.rank;
  fit.aliases = find_aliases(qr);
  fit.aliased = all_aliased(fit.aliases);
  fit.factor = inverse_factor(qr);
  fill_residuals(fit, design, response, weighted, solution.residual, options.weights);
  fill_leverage(fit, qr, weighted, design.rows, options.leverage_limit);
  fill_errors(fit);
  return fit;
}

Result<double> predict(const Fit& fit, std::span<const double> row) {
  assert(row.size() == fit.coefficients.size());
  if (!inside_row_space(fit, row))
    return Error{
        "the data do not determine this prediction: it needs variables apart that only occurred together", "",
        "add a run in which the aliased variables vary independently"};
  return std::inner_product(row.begin(), row.end(), fit.coefficients.begin(), 0.0);
}

Result<Interval> mean_interval(const Fit& fit, std::span<const double> row, double level) {
  return interval(fit, row, level, 0);
}

Result<Interval> observation_interval(const Fit& fit, std::span<const double> row, double level,
                                      double weight) {
  assert(weight > 0);
  return interval(fit, row, level, 1 / weight);
}

}  // namespace parcast::statistics
