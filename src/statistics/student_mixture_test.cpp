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
  // A quarter lies near 0, the rest near 100: the median is the 1/3 point of the upper component.
  const std::vector<StudentComponent> two{{0.25, 0, 1, 5}, {0.75, 100, 1, 5}};
  EXPECT_NEAR(probability_below(two, 50), 0.25, 1e-6);
  EXPECT_NEAR(mixture_quantile(two, 0.5), 100 + student_t_quantile(1.0 / 3, 5), 1e-3);
}

}  // namespace
}  // namespace parcast::statistics
