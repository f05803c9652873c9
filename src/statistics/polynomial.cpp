// SPDX-License-Identifier: Apache-2.0
#include "statistics/polynomial.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics/distribution.h"
#include "statistics/least_squares.h"

namespace parcast::statistics {
namespace {

/// Scales points to -1 .. 1, where their powers are best distinguishable.
void place(std::span<const double> x, Polynomial& out) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  out.centre = (*low + *high) / 2;
  out.scale = *high > *low ? (*high - *low) / 2 : 1;
}

Matrix powers_of(std::span<const double> x, std::size_t degree, const Polynomial& placed) {
  Matrix design(x.size(), degree + 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double power = 1;
    for (std::size_t j = 0; j <= degree; ++j, power *= (x[i] - placed.centre) / placed.scale)
      design(i, j) = power;
  }
  return design;
}

/// Returns residual / (1 - leverage). For a point that almost determines the fit on its own, that quotient is
/// inexact, so the fit is repeated without the point.
Result<double> left_out(const Matrix& design, std::span<const double> y, const Fit& fit, std::size_t index) {
  if (fit.leverage[index] < 0.999) return fit.residuals[index] / (1 - fit.leverage[index]);
  LeastSquaresOptions others;
  others.weights.assign(y.size(), 1.0);
  others.weights[index] = 0;
  PARCAST_ASSIGN(const Fit rest, fit_least_squares(design, y, others));
  if (!rest.aliased.empty()) return Error{"a single point decides a coefficient", "", "take a lower degree"};
  return rest.residuals[index];
}

double tail_of(const Fit& fit) {
  const double error = fit.standard_errors.back(), coefficient = std::abs(fit.coefficients.back());
  if (!(error > 0)) return coefficient > 0 ? 0 : 1;
  return 2 * (1 - student_t_probability(coefficient / error, static_cast<double>(fit.degrees_of_freedom)));
}

struct Errors {
  double mean = 0, standard_error = 0;  // of the squared errors at left-out points
};

Errors errors_of(const Polynomial& polynomial) {
  const auto count = static_cast<double>(polynomial.left_out.size());
  Errors out{polynomial.press / count, 0};
  double spread = 0;
  for (const double error : polynomial.left_out)
    spread += (error * error - out.mean) * (error * error - out.mean);
  out.standard_error = std::sqrt(spread / (count - 1) / count);
  return out;
}

std::size_t by_press(const std::vector<Polynomial>& fits, bool one_standard_error) {
  const auto best = std::min_element(
      fits.begin(), fits.end(), [](const Polynomial& a, const Polynomial& b) { return a.press < b.press; });
  if (!one_standard_error) return static_cast<std::size_t>(best - fits.begin());
  const Errors least = errors_of(*best);
  const auto within = std::find_if(fits.begin(), fits.end(), [&](const Polynomial& fit) {
    return errors_of(fit).mean <= least.mean + least.standard_error;
  });
  return static_cast<std::size_t>(within - fits.begin());
}

std::size_t by_test(const std::vector<Polynomial>& fits, double level) {
  for (std::size_t degree = fits.size(); degree-- > 1;)
    if (fits[degree].highest_tail < level) return degree;
  return 0;
}

}  // namespace

Result<Polynomial> fit_polynomial(std::span<const double> x, std::span<const double> y, std::size_t degree) {
  const std::set<double> distinct(x.begin(), x.end());
  if (distinct.size() < degree + 2)
    return Error{std::to_string(distinct.size()) +
                     " different values are too few for a polynomial of degree " + std::to_string(degree),
                 "", "it takes " + std::to_string(degree + 2)};
  Polynomial out;
  place(x, out);
  PARCAST_ASSIGN(const Fit fit, fit_least_squares(powers_of(x, degree, out), y));
  if (!fit.aliased.empty())
    return Error{"the powers of x up to " + std::to_string(degree) + " cannot be separated", "",
                 "take a lower degree"};
  for (std::size_t i = 0; i < fit.residuals.size(); ++i) {
    PARCAST_ASSIGN(const double error, left_out(powers_of(x, degree, out), y, fit, i));
    out.left_out.push_back(error);
    out.press += error * error;
    out.residual_squares += fit.residuals[i] * fit.residuals[i];
  }
  out.coefficients = fit.coefficients;
  out.highest_tail = tail_of(fit);
  return out;
}

Result<std::size_t> choose_degree(std::span<const double> x, std::span<const double> y, std::size_t largest,
                                  DegreeRule rule, double level) {
  std::vector<Polynomial> fits;
  for (std::size_t degree = 0; degree <= largest; ++degree) {
    auto fit = fit_polynomial(x, y, degree);
    if (!fit && degree == 0) return fit.error();
    if (!fit) break;
    fits.push_back(std::move(*fit));
  }
  if (rule == DegreeRule::highest_significant) return by_test(fits, level);
  return by_press(fits, rule == DegreeRule::one_standard_error);
}

double evaluate(const Polynomial& polynomial, double x) {
  const double u = (x - polynomial.centre) / polynomial.scale;
  double value = 0;
  for (std::size_t i = polynomial.coefficients.size(); i-- > 0;)
    value = value * u + polynomial.coefficients[i];
  return value;
}

std::vector<double> plain_coefficients(const Polynomial& polynomial) {
  // Horner's scheme on polynomials in x: multiply by u, add the next coefficient
  std::vector<double> plain;
  for (std::size_t i = polynomial.coefficients.size(); i-- > 0;) {
    plain.insert(plain.begin(), 0.0);
    for (std::size_t j = 0; j + 1 < plain.size(); ++j) plain[j] -= polynomial.centre * plain[j + 1];
    for (double& value : plain) value /= polynomial.scale;
    plain[0] += polynomial.coefficients[i];
  }
  return plain;
}

}  // namespace parcast::statistics
