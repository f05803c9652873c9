// SPDX-License-Identifier: Apache-2.0
#pragma once
// Polynomials by least squares, and ways to choose their degree: leave-one-out cross-validation (Lemeire and Dirkx 2004,
// section 5), the same with the one-standard-error rule (Breiman et al. 1984), and tests of the highest coefficient. How
// often each finds a true degree is printed by bench/statistics. docs/models/polynomials.md.

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace parcast::statistics {

struct Polynomial {
  double centre = 0, scale = 1;       // of the points: u = (x - centre) / scale lies in -1 .. 1
  std::vector<double> coefficients;   // of u^0, u^1, ...
  std::vector<double> left_out;       // by point: its value less what the polynomial fitted without it gives there
  double press = 0;                   // sum of squares of these: prediction sum of squares (Allen 1974)
  double residual_squares = 0;
  double highest_tail = 0;            // probability of so large a highest coefficient were it 0 (Student's t, both sides); 0 without noise
};

/// Fails where sizes disagree, a number is not finite, fewer than degree + 2 points differ in x, or a point alone decides a
/// coefficient, so that without it nothing can be said there.
Result<Polynomial> fit_polynomial(std::span<const double> x, std::span<const double> y, std::size_t degree);

enum class DegreeRule {
  lowest_press,         // plain leave-one-out cross-validation
  one_standard_error,   // the lowest degree whose mean squared error is within one standard error of the least
  highest_significant,  // the largest degree whose highest coefficient differs from 0 at `level`
};

/// Of degrees 0 .. `largest`, those of too many coefficients for the points apart. Fails where degree 0 does.
Result<std::size_t> choose_degree(std::span<const double> x, std::span<const double> y, std::size_t largest, DegreeRule rule, double level = 0.05);

double evaluate(const Polynomial& polynomial, double x);
/// Of x^0, x^1, ...
std::vector<double> plain_coefficients(const Polynomial& polynomial);

}  // namespace parcast::statistics
