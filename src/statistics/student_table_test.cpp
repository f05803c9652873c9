// SPDX-License-Identifier: Apache-2.0
#include "statistics/student_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "statistics/distribution.h"

namespace parcast::statistics {
namespace {

TEST(StudentBySum, GivesTheIncompleteBetaFunctionsProbabilities) {
  for (const int degrees : {1, 2, 3, 4, 17, 59, 60})
    for (double x = -30; x <= 30; x += 0.37)
      EXPECT_NEAR(student_by_sum(x, degrees).probability, student_t_probability(x, degrees), 1e-13)
          << degrees << " at " << x;
}

TEST(StudentBySum, DensityAndSlopeAreTheDerivatives) {
  constexpr double kStep = 1e-4;
  for (const int degrees : {1, 2, 3, 7, 60})
    for (double x = -5; x <= 5; x += 0.3) {
      const StudentValue low = student_by_sum(x - kStep, degrees), high = student_by_sum(x + kStep, degrees),
                         here = student_by_sum(x, degrees);
      EXPECT_NEAR(here.density, (high.probability - low.probability) / (2 * kStep), 1e-8) << degrees << x;
      EXPECT_NEAR(here.slope, (high.density - low.density) / (2 * kStep), 1e-7) << degrees << x;
    }
}

TEST(StudentBySum, GivesTheDensitiesOfOneAndTwoDegrees) {
  EXPECT_NEAR(student_by_sum(1, 1).density, 1 / (2 * M_PI), 1e-14);
  EXPECT_NEAR(student_by_sum(1, 2).density, std::pow(3.0, -1.5), 1e-14);
}

TEST(StudentTable, FollowsTheSumBetweenItsPoints) {
  for (int degrees = 1; degrees <= StudentTable::kMostDegrees; ++degrees) {
    const StudentTable& table = StudentTable::of(degrees);
    double probability = 0, density = 0, slope = 0;
    for (double x = -17; x <= 17; x += 0.0097) {
      const StudentValue exact = student_by_sum(x, degrees), at = table.at(x);
      probability = std::max(probability, std::abs(at.probability - exact.probability));
      density = std::max(density, std::abs(at.density - exact.density));
      slope = std::max(slope, std::abs(at.slope - exact.slope));
    }
    EXPECT_LT(probability, 1e-10) << degrees;
    EXPECT_LT(density, 1e-8) << degrees;
    EXPECT_LT(slope, 1e-6) << degrees;
  }
}

TEST(StudentTable, HasNoJumpWhereItEnds) {
  const StudentTable& table = StudentTable::of(3);
  EXPECT_NEAR(table.at(std::nextafter(16.0, 0.0)).probability, table.at(16).probability, 1e-14);
  EXPECT_EQ(table.at(INFINITY).probability, 1);
  EXPECT_EQ(table.at(-INFINITY).probability, 0);
}

}  // namespace
}  // namespace parcast::statistics
