// SPDX-License-Identifier: Apache-2.0
#include "statistics/diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/reference_data.h"

namespace parcast::statistics {
namespace {

// x = 0 1 2 3, y = 1 3 4 6: residuals -1/10, 3/10, -3/10, 1/10, s^2 = 1/10, leverages 7/10, 3/10, 3/10, 7/10.
TEST(Diagnostics, OfALineByHand) {
  const Matrix design = reference::powers({0, 1, 2, 3}, 1);
  const auto fit = fit_least_squares(design, std::vector<double>{1, 3, 4, 6});
  ASSERT_TRUE(fit);
  const Diagnostics d = diagnose(*fit, design);
  EXPECT_NEAR(d.t_values[1], 1.6 / std::sqrt(0.02), 1e-11);
  EXPECT_NEAR(d.correlation(0, 1), -1.5 / std::sqrt(3.5), 1e-13);  // -mean / root mean square of x
  EXPECT_EQ(d.correlation(1, 1), 1);
  EXPECT_NEAR(d.variance_inflation[1], 14.0 / 5, 1e-12);  // sum x^2 / sum (x - mean)^2
  EXPECT_NEAR(d.standardized[0], -0.1 / std::sqrt(0.1 * 0.3), 1e-12);
  EXPECT_NEAR(d.cooks_distance[0], (0.01 / (0.1 * 0.3)) * (0.7 / 0.3) / 2, 1e-12);
  EXPECT_TRUE(d.not_identified.empty());
}

TEST(Diagnostics, LongleyKnowsThreeOfItsVariablesBadly) {
  const auto set = reference::longley();
  const auto fit = fit_least_squares(set.design, set.response);
  ASSERT_TRUE(fit);
  const Diagnostics d = diagnose(*fit, set.design);
  // Certified t ratios: 15.06 / 84.91, 0.0358 / 0.0335 and 0.0511 / 0.226 are below 2.
  EXPECT_EQ(d.not_identified, (std::vector<std::size_t>{1, 2, 5}));
  EXPECT_NEAR(d.t_values[6], 1829.15146461355 / 455.478499142212, 1e-9);
}

TEST(Diagnostics, ABoundOrAliasedCostIsNotIdentified) {
  Matrix design(5, 2);
  std::vector<double> y;
  for (std::size_t i = 0; i < 5; ++i) {
    design(i, 0) = static_cast<double>(i + 1);
    design(i, 1) = static_cast<double>((i * 3) % 4);
    y.push_back(2 * design(i, 0) - 0.5 * design(i, 1));
  }
  const auto fit = fit_nonnegative(design, y);
  ASSERT_TRUE(fit);
  const Diagnostics d = diagnose(*fit, design);
  EXPECT_EQ(d.not_identified, (std::vector<std::size_t>{1}));
  EXPECT_EQ(d.t_values[1], 0);
}

TEST(Diagnostics, OrthogonalColumnsAreNotInflated) {
  Matrix design(4, 2);
  design.values = {1, 1, 1, -1, 1, 1, 1, -1};
  const auto fit = fit_least_squares(design, std::vector<double>{3, 1, 3.1, 1.2});
  ASSERT_TRUE(fit);
  for (const double v : diagnose(*fit, design).variance_inflation) EXPECT_NEAR(v, 1, 1e-13);
}

TEST(QuantilePlot, OfThreeValues) {
  const auto plot = quantile_plot(std::vector<double>{5, -1, 2});
  ASSERT_EQ(plot.size(), 3u);
  EXPECT_EQ(plot[0].value, -1);
  EXPECT_NEAR(plot[0].normal, -plot[2].normal, 1e-15);
  EXPECT_NEAR(plot[1].normal, 0, 1e-15);
  EXPECT_NEAR(0.5 * std::erfc(-plot[2].normal / std::sqrt(2.0)), 2.625 / 3.25, 1e-14);
}

TEST(Robust, AnOutlierMovesItLittle) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 20; ++i) {
    x.push_back(i);
    y.push_back(2 + 3 * i + 0.1 * (i % 3 - 1));
  }
  y[10] += 50;
  const Matrix design = reference::powers(x, 1);
  const auto plain = fit_least_squares(design, y);
  const auto robust = fit_robust(design, y);
  ASSERT_TRUE(plain && robust);
  EXPECT_GT(std::abs(plain->coefficients[0] - 2), 1);
  EXPECT_NEAR(robust->fit.coefficients[0], 2, 0.1);
  EXPECT_NEAR(robust->fit.coefficients[1], 3, 0.01);
  EXPECT_EQ(robust->downweighted, (std::vector<std::size_t>{10}));
}

TEST(Robust, IsLeastSquaresWhereNothingStandsOut) {
  const Matrix design = reference::powers({0, 1, 2, 3, 4, 5}, 1);
  const std::vector<double> y{0.1, 0.9, 2.1, 2.9, 4.1, 4.9};
  const auto plain = fit_least_squares(design, y);
  const auto robust = fit_robust(design, y);
  ASSERT_TRUE(plain && robust);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(robust->fit.coefficients[j], plain->coefficients[j], 1e-12);
  EXPECT_TRUE(robust->downweighted.empty());
}

}  // namespace
}  // namespace parcast::statistics
