// SPDX-License-Identifier: Apache-2.0
#include "statistics/distribution.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cassert>
#include <cmath>

namespace parcast::statistics {
namespace {

namespace policies = boost::math::policies;
// Results do not depend on the width of long double. A tail beyond the range of double is an infinity and no
// exception.
using Policy =
    policies::policy<policies::promote_double<false>, policies::overflow_error<policies::errno_on_error>>;

[[maybe_unused]] bool is_probability(double p) {
  return p > 0 && p < 1;
}

}  // namespace

double normal_quantile(double probability) {
  assert(is_probability(probability));
  return quantile(boost::math::normal_distribution<double, Policy>(), probability);
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  assert(is_probability(probability) && degrees_of_freedom > 0);
  return quantile(boost::math::students_t_distribution<double, Policy>(degrees_of_freedom), probability);
}

double chi_square_quantile(double probability, double degrees_of_freedom) {
  assert(is_probability(probability) && degrees_of_freedom > 0);
  return quantile(boost::math::chi_squared_distribution<double, Policy>(degrees_of_freedom), probability);
}

double f_quantile(double probability, double numerator_degrees, double denominator_degrees) {
  assert(is_probability(probability) && numerator_degrees > 0 && denominator_degrees > 0);
  return quantile(boost::math::fisher_f_distribution<double, Policy>(numerator_degrees, denominator_degrees),
                  probability);
}

double normal_probability(double x) {
  return cdf(boost::math::normal_distribution<double, Policy>(), x);
}

double student_t_probability(double x, double degrees_of_freedom) {
  assert(degrees_of_freedom > 0);
  return cdf(boost::math::students_t_distribution<double, Policy>(degrees_of_freedom), x);
}

double chi_square_probability(double x, double degrees_of_freedom) {
  assert(x >= 0 && degrees_of_freedom > 0);
  return cdf(boost::math::chi_squared_distribution<double, Policy>(degrees_of_freedom), x);
}

double f_tail(double x, double numerator_degrees, double denominator_degrees) {
  assert(numerator_degrees > 0 && denominator_degrees > 0);
  if (std::isinf(x)) return 0;
  return cdf(complement(
      boost::math::fisher_f_distribution<double, Policy>(numerator_degrees, denominator_degrees), x));
}

double binomial_probability_up_to(std::size_t successes, std::size_t trials, double probability) {
  assert(trials > 0);
  if (successes >= trials) return 1;
  return cdf(boost::math::binomial_distribution<double, Policy>(static_cast<double>(trials), probability),
             static_cast<double>(successes));
}

double log_gamma(double x) {
  return boost::math::lgamma(x, Policy());
}

}  // namespace parcast::statistics
