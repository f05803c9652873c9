// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

const Expression n = symbol("n", SymbolKind::parameter);
const Expression m = symbol("m", SymbolKind::parameter);
const Expression p = symbol("p", SymbolKind::processes);
const Expression k = symbol("k", SymbolKind::loop_index);
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expect_bounds(const Expression& a, double low, double high, Interval n_range,
                   Interval m_range = {1, 1}) {
  const auto found = bound(a, {{"n", n_range}, {"m", m_range}, {"p", {1, 8}}});
  ASSERT_TRUE(found.ok()) << to_string(found.error());
  EXPECT_EQ(found->low, low) << to_text(a);
  EXPECT_EQ(found->high, high) << to_text(a);
}

TEST(Bound, OfMonotoneFunctionsIsTheirRange) {
  expect_bounds(2 * n - 3, -5, 7, {-1, 5});
  expect_bounds(power(n, 2), 0, 25, {-1, 5});
  expect_bounds(power(n, 3), -8, 125, {-2, 5});
  expect_bounds(power(n, 3), -8, -1, {-2, -1});
  expect_bounds(power(n, -1), 0.25, 0.5, {2, 4});
  expect_bounds(floor(n / 2), -1, 2, {-1, 5});
  expect_bounds(log2(n), 1, 3, {2, 8});
  expect_bounds(min(n, m), 1, 3, {1, 9}, {2, 3});
  expect_bounds(n * m, -10, 10, {-2, 2}, {3, 5});
}

TEST(Bound, OfQuotientsAcrossZeroIsUnbounded) {
  expect_bounds(1 / n, -kInfinity, kInfinity, {-1, 1});
  expect_bounds(1 / n, 1, kInfinity, {0, 1});
  expect_bounds(1 / n, -kInfinity, -1, {-1, 0});
  expect_bounds(power(n, -2), 0.25, kInfinity, {-1, 2});
}

TEST(Bound, OfPartlyDefinedFunctionsIsOfWhereTheyAreDefined) {
  expect_bounds(log2(n), -kInfinity, 2, {-1, 4});
  EXPECT_FALSE(bound(log2(n), {{"n", {-2, -1}}}).ok());
  EXPECT_FALSE(bound(1 / n, {{"n", {0, 0}}}).ok());
  const auto root = bound(power(n, Rational::of(1, 2)), {{"n", {-1, 4}}});
  EXPECT_EQ(root->low, 0);
  EXPECT_GE(root->high, 2);
  EXPECT_LT(root->high, 2 + 1e-14);
}

TEST(Bound, OfModulo) {
  expect_bounds(modulo(n, 5), 1, 4, {11, 14});
  expect_bounds(modulo(n, 5), 0, 5, {11, 16});
  expect_bounds(modulo(n, -5), -5, 0, {11, 16});
  expect_bounds(modulo(n, m), 1, 3, {1, 3}, {4, 6});
}

TEST(Bound, OfConditionalUsesTheBranchesThatCanBeTaken) {
  expect_bounds(conditional(n - 3, 10, 20), 10, 10, {3, 5});
  expect_bounds(conditional(n - 3, 10, 20), 20, 20, {1, 2});
  expect_bounds(conditional(n - 3, 10, 20), 10, 20, {1, 5});
  // the first branch never has a value
  expect_bounds(conditional(n - 3, log2(-n * n - 1), 20), 20, 20, {1, 5});
}

TEST(Bound, OfSeriesCountsTerms) {
  expect_bounds(series(k, 1, n, floor(12 / k)), 0, 48, {0, 4});
  expect_bounds(series(k, 1, 4, floor(m / k)), 25, 25, {1, 1}, {12, 12});
  expect_bounds(series(k, n, 1, floor(12 / k)), 0, 0, {2, 5});
}

TEST(Bound, IsWidenedWhereDoublesRound) {
  const auto third = bound(n / 3, {{"n", {1, 1}}});
  EXPECT_LT(third->low, third->high);
  EXPECT_LE(third->high - third->low, 2e-16);
  EXPECT_LE(third->low, 1.0 / 3);
  EXPECT_GE(third->high, 1.0 / 3);
  const auto sum = bound(n + m, {{"n", {1, 1}}, {"m", {1e-30, 1e-30}}});
  EXPECT_EQ(sum->low, 1);
  EXPECT_GT(sum->high, 1);
  const auto large = bound(n * n, {{"n", {1e200, 1e200}}});
  EXPECT_EQ(large->low, std::numeric_limits<double>::max());
  EXPECT_EQ(large->high, kInfinity);
  const auto small = bound(n * m, {{"n", {1e-200, 1e-200}}, {"m", {1e-200, 1e-200}}});
  EXPECT_LE(small->low, 0);
  EXPECT_GT(small->high, 0);
}

TEST(Bound, ErrorsNameTheSymbol) {
  const auto missing = bound(n + m, {{"n", {0, 1}}});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().what, testing::HasSubstr("'m'"));
  EXPECT_FALSE(bound(n, {{"n", {2, 1}}}).ok());
  EXPECT_FALSE(bound(n, {{"n", {std::nan(""), 1}}}).ok());
}

}  // namespace
}  // namespace parcast::symbolic
