// SPDX-License-Identifier: Apache-2.0
#include "statistics/polynomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/random.h"

namespace parcast::statistics {
namespace {

std::vector<double> without(const std::vector<double>& values, std::size_t index) {
  std::vector<double> out = values;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(index));
  return out;
}

TEST(Polynomial, PressIsThatOfLeavingEachPointOut) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t degree = random.below(5), count = degree + 4 + random.below(20);
    std::vector<double> x, y;
    const double unit = std::pow(10.0, 6 * random.uniform() - 3);
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(unit * (1 + 9 * random.uniform()));
      y.push_back(std::pow(x.back() / unit, static_cast<double>(degree)) + random.normal());
    }
    const auto fit = fit_polynomial(x, y, degree);
    ASSERT_TRUE(fit.ok());
    double press = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto rest = fit_polynomial(without(x, i), without(y, i), degree);
      ASSERT_TRUE(rest.ok());
      const double error = y[i] - evaluate(*rest, x[i]);
      EXPECT_NEAR(fit->left_out[i], error,
                  1e-10 * std::max(1.0, std::abs(error)) * std::max(1.0, std::abs(y[i])));
      press += error * error;
    }
    EXPECT_NEAR(fit->press / press, 1, 1e-10) << "degree " << degree << ", " << count << " points";
  }
}

TEST(Polynomial, CoefficientsAreThoseOfAnExactPolynomial) {
  std::vector<double> x, y;
  for (int i = 0; i < 8; ++i)
    x.push_back(1000.0 * i), y.push_back(3 - 2e-3 * x.back() + 5e-6 * x.back() * x.back());
  const auto fit = fit_polynomial(x, y, 2);
  ASSERT_TRUE(fit.ok());
  const std::vector<double> plain = plain_coefficients(*fit);
  EXPECT_NEAR(plain[0], 3, 1e-10);
  EXPECT_NEAR(plain[1] / -2e-3, 1, 1e-10);
  EXPECT_NEAR(plain[2] / 5e-6, 1, 1e-10);
  EXPECT_NEAR(fit->press, 0, 1e-18);
}

// Three points on y = x^2 at -1, 0, 1, fitted by a constant. Leaving out each one by hand gives 1 - 0.5, 0 -
// 1, 1 - 0.5.
TEST(Polynomial, PressOfAConstantByHand) {
  const std::vector<double> x{-1, 0, 1}, y{1, 0, 1};
  const auto fit = fit_polynomial(x, y, 0);
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(fit->press, 1.5, 1e-14);
}

TEST(Polynomial, EachRuleFindsADegreeThatNoiseDoesNotHide) {
  Random random(7);
  std::vector<double> x, y;
  for (int i = 1; i <= 20; ++i)
    x.push_back(i), y.push_back((1 + 2 * i + 0.5 * i * i) * (1 + 1e-4 * random.normal()));
  EXPECT_EQ(*choose_degree(x, y, 1, DegreeRule::lowest_press), 1u);
  EXPECT_EQ(*choose_degree(x, y, 5, DegreeRule::one_standard_error), 2u);
  EXPECT_EQ(*choose_degree(x, y, 5, DegreeRule::highest_significant, 0.001), 2u);
  EXPECT_GE(*choose_degree(x, y, 5, DegreeRule::lowest_press), 2u);
}

TEST(Polynomial, TooFewPointsAreAnError) {
  const std::vector<double> x{1, 1, 2}, y{1, 2, 3};
  EXPECT_EQ(fit_polynomial(x, y, 1).error().what,
            "2 different values are too few for a polynomial of degree 1");
  EXPECT_EQ(*choose_degree(x, y, 4, DegreeRule::lowest_press), 0u);
  EXPECT_FALSE(
      choose_degree(std::vector<double>{1}, std::vector<double>{1}, 2, DegreeRule::lowest_press).ok());
}

}  // namespace
}  // namespace parcast::statistics
