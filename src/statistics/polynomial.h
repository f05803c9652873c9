// SPDX-License-Identifier: Apache-2.0
#pragma once
// Polynomials by least squares, and rules to choose their degree: leave-one-out cross-validation (Lemeire and
// Dirkx 2004, section 5), the same with the one-standard-error rule (Breiman et al. 1984), and tests of the
// highest coefficient. bench/statistics prints how often each finds a true degree.
// docs/models/polynomials.md.

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace parcast::statistics {

struct Polynomial {
  double centre = 0, scale = 1;      // of the points: u = (x - centre) / scale lies in -1 .. 1
  std::vector<double> coefficients;  // of u^0, u^1, ...
  std::vector<double> left_out;  // by point: its value minus the value of the polynomial fitted without it
  double press = 0;              // sum of squares of left_out: prediction sum of squares (Allen 1974)
  double residual_squares = 0;
  // probability of a highest coefficient at least this large if it were 0 (two-sided Student's t); 0 without
  // noise
  double highest_tail = 0;
};

/// Fails if sizes disagree, if a number is not finite, if fewer than degree + 2 points differ in x, or if one
/// point alone determines a coefficient, so that it cannot be left out.
Result<Polynomial> fit_polynomial(std::span<const double> x, std::span<const double> y, std::size_t degree);

enum class DegreeRule {
  lowest_press,        // plain leave-one-out cross-validation
  one_standard_error,  // lowest degree whose mean squared error is within one standard error of the least one
  highest_significant,  // the largest degree whose highest coefficient differs from 0 at `level`
};

/// Chooses among degrees 0 .. `largest`, except those with too many coefficients for the points. Fails if
/// degree 0 does.
Result<std::size_t> choose_degree(std::span<const double> x, std::span<const double> y, std::size_t largest,
                                  DegreeRule rule, double level = 0.05);

double evaluate(const Polynomial& polynomial, double x);
/// Returns the coefficients of x^0, x^1, ...
std::vector<double> plain_coefficients(const Polynomial& polynomial);

}  // namespace parcast::statistics
