// SPDX-License-Identifier: Apache-2.0
#include "fit/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace parcast::fit {
namespace {

const Points kDoubling{{4}, {8}, {16}, {32}, {64}};

std::vector<Sum> found(const Shapes& shapes, const std::vector<double>& values, const Prior& prior) {
  return search(shapes, values, values, prior);
}

Shapes shapes_on(const Points& points) {
  std::vector<std::vector<Factor>> factors;
  for (std::size_t j = 0; j < points[0].size(); ++j) factors.push_back(factors_of(points, j));
  return products_of(points, factors);
}

std::vector<double> values_on(const Points& points, const std::function<double(double)>& law) {
  std::vector<double> out;
  for (const auto& point : points) out.push_back(law(point[0]));
  return out;
}

bool has(const std::vector<Sum>& sums, const Shapes& shapes, std::vector<std::pair<double, int>> wanted) {
  for (const Sum& sum : sums) {
    bool same = sum.count == wanted.size();
    for (std::size_t k = 0; k < sum.count && same; ++k) {
      const auto term = shapes.term(sum.terms[k]);
      same = std::find(wanted.begin(), wanted.end(), std::pair(term.exponents[0], term.log_powers[0])) !=
             wanted.end();
    }
    if (same) return true;
  }
  return false;
}

TEST(Shapes, TheConstantComesFirstAndValuesAreThoseOfTheTerms) {
  const Shapes shapes = shapes_on(kDoubling);
  EXPECT_EQ(shapes.cost[0], 0);
  for (std::size_t t = 0; t < shapes.size(); ++t)
    for (std::size_t i = 0; i < kDoubling.size(); ++i)
      EXPECT_DOUBLE_EQ(shapes.at(t, i), statistics::shape_value(shapes.term(t), kDoubling[i]));
}

TEST(Shapes, NegativeExponentsAndLogarithmsNeedValuesThatAllowThem) {
  for (const Factor& factor : factors_of({{0}, {1}, {2}}, 0)) {
    EXPECT_GE(factor.exponent, 0);
    EXPECT_EQ(factor.log_power, 0);
  }
  const auto two_values = factors_of({{2}, {4}}, 0);
  for (const Factor& factor : two_values) EXPECT_EQ(factor.log_power, 0);
}

TEST(Search, TheLawThatMadeTheValuesComesFirst) {
  const Shapes shapes = shapes_on(kDoubling);
  const auto sums =
      found(shapes, values_on(kDoubling, [](double x) { return 3 + 0.25 * x * x; }), {0.001, 1});
  ASSERT_FALSE(sums.empty());
  EXPECT_TRUE(has({sums.front()}, shapes, {{0, 0}, {2, 0}}));
}

TEST(Search, PlainModelsAreAlwaysThere) {
  const Shapes shapes = shapes_on(kDoubling);
  const auto sums =
      found(shapes, values_on(kDoubling, [](double x) { return 1 + 100 / x + 0.5 * std::log2(x); }), {});
  EXPECT_TRUE(has(sums, shapes, {{0, 0}}));
  EXPECT_TRUE(has(sums, shapes, {{1, 0}}));
  EXPECT_TRUE(has(sums, shapes, {{0, 0}, {-1, 0}}));
  EXPECT_TRUE(has(sums, shapes, {{0, 0}, {-1, 0}, {0, 1}}));
}

TEST(Search, SumsWhoseCoefficientsWouldBeNegativeAreLeftOut) {
  const Shapes shapes = shapes_on(kDoubling);
  // 1 - 0.01 x: no sum of the constant and x with positive coefficients.
  EXPECT_FALSE(has(found(shapes, values_on(kDoubling, [](double x) { return 1 - 0.01 * x; }), {}), shapes,
                   {{0, 0}, {1, 0}}));
}

TEST(Search, EvidenceAgreesWithTheIntegralOverTheCoefficient) {
  // One column c and two values: integrates the t density over its coefficient by the trapezoidal rule.
  const Points points{{1}, {2}};
  const Shapes shapes = shapes_on(points);
  const std::vector<double> values{1.0, 1.3};
  const Prior prior{0.1, 1};
  const auto sums = found(shapes, values, prior);
  const auto weight_of = [&](std::size_t term) {
    for (const Sum& sum : sums)
      if (sum.count == 1 && sum.terms[0] == term) return sum.log_weight + sum.cost;
    return std::nan("");
  };
  // p(target | b) over noise is proportional to (w0 e0^2 + |target - b column|^2)^(-(w0 + m) / 2).
  const auto integral = [&](std::size_t term) {
    double first = shapes.at(term, 0) / values[0], second = shapes.at(term, 1) / values[1];
    const double unit = std::sqrt(2 / (first * first + second * second));
    first *= unit, second *= unit;
    double sum = 0;
    for (int k = -200000; k < 200000; ++k) {
      const double b = 1 + 1e-3 * k;
      sum += 1e-3 * std::pow(0.01 + std::pow(1 - b * first, 2) + std::pow(1 - b * second, 2), -1.5);
    }
    return std::log(sum);
  };
  std::size_t proportional = 0;
  for (std::size_t t = 0; t < shapes.size(); ++t)
    if (shapes.exponents[t] == 1) proportional = t;
  ASSERT_NE(proportional, 0u);
  EXPECT_NEAR(weight_of(0) - weight_of(proportional), integral(0) - integral(proportional), 1e-3);
}

}  // namespace
}  // namespace parcast::fit
