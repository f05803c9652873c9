// SPDX-License-Identifier: Apache-2.0
#include "statistics/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace parcast::statistics {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(Distribution, StudentWithOneDegreeIsCauchy) {
  for (const double p : {0.6, 0.9, 0.975, 0.9995})
    EXPECT_NEAR(student_t_quantile(p, 1) / std::tan(kPi * (p - 0.5)), 1, 1e-13);
}

TEST(Distribution, StudentWithTwoDegreesHasAClosedForm) {
  for (const double p : {0.1, 0.75, 0.95, 0.995}) {
    const double a = 4 * p * (1 - p);
    EXPECT_NEAR(student_t_quantile(p, 2), 2 * (p - 0.5) * std::sqrt(2 / a), 1e-13);
  }
}

TEST(Distribution, StudentTablesToThePrintedDigits) {
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262157, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.95, 30), 1.697261, 5e-7);
}

TEST(Distribution, NormalQuantileInvertsTheErrorFunction) {
  for (const double p : {0.001, 0.25, 0.5, 0.9, 0.9999})
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)), p, 1e-15);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(1 / normal_quantile(0.75), 1.482602218505602, 1e-13);
}

TEST(Distribution, ChiSquareWithTwoDegreesIsExponential) {
  for (const double p : {0.05, 0.5, 0.99}) EXPECT_NEAR(chi_square_quantile(p, 2), -2 * std::log1p(-p), 1e-13);
}

TEST(Distribution, ChiSquareWithOneDegreeIsASquaredNormal) {
  for (const double x : {0.1, 1.0, 6.0})
    EXPECT_NEAR(chi_square_probability(x, 1), std::erf(std::sqrt(x / 2)), 1e-14);
}

TEST(Distribution, FWithOneNumeratorDegreeIsTheSquareOfStudent) {
  const double t = student_t_quantile(0.975, 7);
  EXPECT_NEAR(f_quantile(0.95, 1, 7), t * t, 1e-12);
  EXPECT_NEAR(f_tail(t * t, 1, 7), 0.05, 1e-14);
}

TEST(Distribution, ProbabilitiesInvertQuantiles) {
  EXPECT_NEAR(student_t_probability(student_t_quantile(0.83, 3.5), 3.5), 0.83, 1e-14);
  EXPECT_NEAR(normal_probability(normal_quantile(0.02)), 0.02, 1e-15);
}

TEST(Distribution, BinomialSumsCoefficients) {
  EXPECT_NEAR(binomial_probability_up_to(2, 5, 0.5), 16.0 / 32, 1e-15);
  EXPECT_NEAR(binomial_probability_up_to(1, 10, 0.5), 11.0 / 1024, 1e-15);
  EXPECT_EQ(binomial_probability_up_to(5, 5, 0.5), 1);
}

TEST(Distribution, LogGammaOfIntegersIsTheLogFactorial) {
  EXPECT_NEAR(log_gamma(11), std::log(3628800.0), 1e-13);
  EXPECT_NEAR(log_gamma(0.5), 0.5 * std::log(kPi), 1e-14);
}

}  // namespace
}  // namespace parcast::statistics
