// SPDX-License-Identifier: Apache-2.0
#include "statistics/student_mixture.h"

#include <gtest/gtest.h>

#include <vector>

#include "statistics/distribution.h"

namespace parcast::statistics {
namespace {

TEST(StudentMixture, OfOneComponentIsStudentsDistribution) {
  const std::vector<StudentComponent> one{{1, 3, 2, 4}};
  EXPECT_NEAR(probability_below(one, 3), 0.5, 1e-12);
  // The 95 % point of four degrees of freedom is 2.1318 (any table of t).
  EXPECT_NEAR(mixture_quantile(one, 0.95), 3 + 2 * 2.1318467, 1e-5);
}

TEST(StudentMixture, FarComponentsShareTheProbability) {
  // A quarter is near 0, the rest near 100: the median is the 1/3 point of the upper component.
  const std::vector<StudentComponent> two{{0.25, 0, 1, 5}, {0.75, 100, 1, 5}};
  EXPECT_NEAR(probability_below(two, 50), 0.25, 1e-6);
  EXPECT_NEAR(mixture_quantile(two, 0.5), 100 + student_t_quantile(1.0 / 3, 5), 1e-3);
}

TEST(StudentMixture, WholeDegreesAreSummedAsTheIncompleteBetaFunctionHasThem) {
  for (const double degrees : {2.0, 3.0, 17.0, 60.0, 61.0})
    for (double x = -6; x <= 6; x += 0.25) {
      const std::vector<StudentComponent> one{{1, 0, 1, degrees}};
      EXPECT_NEAR(probability_below(one, x), student_t_probability(x, degrees), 1e-13)
          << degrees << " at " << x;
    }
}

TEST(StudentMixture, BelowItsQuantileLiesTheProbability) {
  // Whole and broken degrees, wide and narrow components near each other and far apart.
  const std::vector<StudentComponent> near{{0.4, -8, 0.1, 6}, {0.35, -7.9, 0.02, 7}, {0.25, -8.2, 0.3, 4.5}};
  const std::vector<StudentComponent> far{{0.5, 0, 1e-3, 3}, {0.3, 5, 1, 2}, {0.2, 40, 0.2, 61}};
  for (const auto& mixture : {near, far})
    for (const double p : {0.01, 0.05, 0.5, 0.6, 0.95, 0.99})
      EXPECT_NEAR(probability_below(mixture, mixture_quantile(mixture, p)), p, 1e-9) << p;
}

TEST(StudentMixture, QuantilesThatAreKeptAreTheirOwn) {
  const StudentQuantiles quantiles;
  for (int again = 0; again < 2; ++again)
    for (const double degrees : {1.0, 4.0, 4.5})
      for (const double p : {0.05, 0.5, 0.95})
        EXPECT_EQ(quantiles(p, degrees), student_t_quantile(p, degrees));
  const std::vector<StudentComponent> two{{0.25, 0, 1, 5}, {0.75, 1, 1, 6}};
  const double alone = mixture_quantile(two, 0.9);
  for (int again = 0; again < 2; ++again) EXPECT_EQ(mixture_quantile(two, 0.9, quantiles), alone);
}

}  // namespace
}  // namespace parcast::statistics
