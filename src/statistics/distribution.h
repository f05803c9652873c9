// SPDX-License-Identifier: Apache-2.0
#pragma once
// Quantiles and tail probabilities of the distributions used for intervals, exact to double precision.
// Probabilities must be strictly between 0 and 1 and degrees of freedom positive; anything else is a bug of
// the caller.

#include <cstddef>

namespace parcast::statistics {

/// Returns the x below which the variable lies with `probability`.
double normal_quantile(double probability);
double student_t_quantile(double probability, double degrees_of_freedom);
double chi_square_quantile(double probability, double degrees_of_freedom);
double f_quantile(double probability, double numerator_degrees, double denominator_degrees);

/// Returns the probability of a value below x.
double normal_probability(double x);
double student_t_probability(double x, double degrees_of_freedom);
double chi_square_probability(double x, double degrees_of_freedom);

/// Returns the probability of a value above x, without loss of digits in the tail.
double f_tail(double x, double numerator_degrees, double denominator_degrees);

/// Returns the probability of at most `successes` in `trials`.
double binomial_probability_up_to(std::size_t successes, std::size_t trials, double probability);

/// Returns the logarithm of the gamma function.
double log_gamma(double x);

}  // namespace parcast::statistics
