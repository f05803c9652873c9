// SPDX-License-Identifier: Apache-2.0
#include "statistics/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/distribution.h"

namespace parcast::statistics {
namespace {

double weight_of(const LeastSquaresOptions& options, std::size_t row) {
  return options.weights.empty() ? 1 : options.weights[row];
}

Matrix correlation_of(const Matrix& covariance) {
  Matrix out(covariance.rows, covariance.columns);
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.columns; ++j) {
      const double size = std::sqrt(covariance(i, i)) * std::sqrt(covariance(j, j));
      out(i, j) = i == j ? 1 : size > 0 ? covariance(i, j) / size : 0;
    }
  return out;
}

std::vector<double> inflation_of(const Fit& fit, const Matrix& design, const LeastSquaresOptions& options) {
  std::vector<double> out;
  for (std::size_t j = 0; j < design.columns; ++j) {
    double length = 0;
    for (std::size_t i = 0; i < design.rows; ++i)
      length = std::hypot(length, std::sqrt(weight_of(options, i)) * design(i, j));
    double spread = 0;
    for (std::size_t k = 0; k < fit.rank; ++k) spread = std::hypot(spread, fit.factor(j, k));
    const bool aliased = std::count(fit.aliased.begin(), fit.aliased.end(), j) > 0;
    out.push_back(aliased ? std::numeric_limits<double>::infinity() : std::pow(length * spread, 2));
  }
  return out;
}

void judge_coefficients(Diagnostics& out, const Fit& fit) {
  for (std::size_t j = 0; j < fit.coefficients.size(); ++j) {
    const bool bound = std::count(fit.bound.begin(), fit.bound.end(), j) > 0;
    const double t = bound ? 0 : fit.coefficients[j] / fit.standard_errors[j];
    out.t_values.push_back(t);
    if (!(std::abs(t) >= 2)) out.not_identified.push_back(j);
  }
}

void judge_rows(Diagnostics& out, const Fit& fit, const LeastSquaresOptions& options) {
  for (std::size_t i = 0; i < fit.residuals.size(); ++i) {
    const double left = 1 - fit.leverage[i];
    const double sigma = fit.residual_standard_error;
    const double scaled = std::sqrt(weight_of(options, i)) * fit.residuals[i];
    if (left <= 1e-12 || sigma == 0) {
      out.standardized.push_back(0);
      out.cooks_distance.push_back(left <= 1e-12 ? std::numeric_limits<double>::infinity() : 0);
      continue;
    }
    const double standardized = scaled / (sigma * std::sqrt(left));
    out.standardized.push_back(standardized);
    out.cooks_distance.push_back(standardized * standardized * fit.leverage[i] / left /
                                 static_cast<double>(fit.rank));
  }
}

// Returns the median absolute residual of the rows with weight, scaled to the standard deviation of a normal.
double robust_scale(const Fit& fit, const LeastSquaresOptions& options) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < fit.residuals.size(); ++i)
    if (weight_of(options, i) > 0)
      sizes.push_back(std::sqrt(weight_of(options, i)) * std::abs(fit.residuals[i]));
  return kNormalConsistency * median(sizes);
}

}  // namespace

Diagnostics diagnose(const Fit& fit, const Matrix& design, const LeastSquaresOptions& options) {
  Diagnostics out;
  judge_coefficients(out, fit);
  out.correlation = correlation_of(fit.covariance);
  out.variance_inflation = inflation_of(fit, design, options);
  judge_rows(out, fit, options);
  return out;
}

std::vector<QuantilePair> quantile_plot(std::span<const double> values) {
  std::vector<double> ordered(values.begin(), values.end());
  std::sort(ordered.begin(), ordered.end());
  std::vector<QuantilePair> out;
  const auto n = static_cast<double>(ordered.size());
  for (std::size_t i = 0; i < ordered.size(); ++i)
    out.push_back({normal_quantile((static_cast<double>(i) + 0.625) / (n + 0.25)), ordered[i]});
  return out;
}

Result<RobustFit> fit_robust(const Matrix& design, std::span<const double> response,
                             const LeastSquaresOptions& options) {
  constexpr double kTuning = 1.345;
  PARCAST_ASSIGN(Fit fit, fit_least_squares(design, response, options));
  LeastSquaresOptions now = options;
  now.weights.resize(design.rows);
  for (int round = 0; round < 50; ++round) {
    const double scale = robust_scale(fit, options);
    double change = 0;
    for (std::size_t i = 0; i < design.rows; ++i) {
      const double given = weight_of(options, i);
      const double size = std::sqrt(given) * std::abs(fit.residuals[i]);
      // A scale of zero means that most rows fit exactly. The others keep a small positive weight.
      const double weight = given * (size <= kTuning * scale ? 1 : std::max(kTuning * scale / size, 1e-12));
      change = std::max(change, std::abs(weight - now.weights[i]) / (given > 0 ? given : 1));
      now.weights[i] = weight;
    }
    PARCAST_ASSIGN(fit, fit_least_squares(design, response, now));
    if (change < 1e-10) break;
  }
  RobustFit out{std::move(fit), now.weights, {}};
  for (std::size_t i = 0; i < design.rows; ++i)
    if (now.weights[i] < 0.5 * weight_of(options, i)) out.downweighted.push_back(i);
  return out;
}

}  // namespace parcast::statistics
