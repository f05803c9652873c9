// SPDX-License-Identifier: Apache-2.0
// Sums with symbolic bounds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

const Expression n = symbol("n", SymbolKind::parameter);
const Expression m = symbol("m", SymbolKind::parameter);
const Expression p = symbol("p", SymbolKind::processes);
const Expression r = symbol("r", SymbolKind::rank);
const Expression k = symbol("k", SymbolKind::loop_index);
const Expression j = symbol("j", SymbolKind::loop_index);

TEST(Series, PowersOfTheIndexMatchAdditionAlsoForEmptyAndNegativeRanges) {
  const Expression a = symbol("a", SymbolKind::parameter), b = symbol("b", SymbolKind::parameter);
  for (int degree = 0; degree <= 9; ++degree) {
    const Expression sum = series(k, a, b, power(k, degree));
    EXPECT_EQ(sum.operation(), Operation::conditional);
    for (int first = -6; first <= 6; ++first) {
      for (int last = -9; last <= 9; ++last) {
        std::int64_t total = 0;
        for (int i = first; i <= last; ++i) {
          std::int64_t term = 1;
          for (int d = 0; d < degree; ++d) term *= i;
          total += term;
        }
        ASSERT_EQ(evaluate_exactly(sum, {{"a", first}, {"b", last}}).value(), Rational(total))
            << degree << " " << first << " " << last;
        ASSERT_EQ(evaluate(sum, {{"a", first}, {"b", last}}).value(), static_cast<double>(total));
      }
    }
  }
}

TEST(Series, KnownClosedForms) {
  EXPECT_EQ(series(k, 1, p, k), expand(p * (p + 1) / 2));
  EXPECT_EQ(series(k, 0, p - 1, k), expand(p * (p - 1) / 2));
  EXPECT_EQ(series(k, 1, p, power(k, 3)), expand(power(p * (p + 1) / 2, 2)));
  EXPECT_EQ(series(k, 1, p, n), n * p);
  EXPECT_EQ(series(k, 1, 100, k), Expression(5050));
  EXPECT_EQ(series(k, 5, 4, 1 / k), Expression(0));
  EXPECT_EQ(series(k, p, p, log2(k)), log2(p));
  // A triangular loop nest: for i < p, for j <= i.
  EXPECT_EQ(series(k, 0, p - 1, series(j, 0, k, 1)), expand(p * (p + 1) / 2));
  // for i = 1 .. n, for j = i .. n. The inner range has at least length 0, so one condition is left.
  EXPECT_EQ(series(k, 1, n, series(j, k, n, 1)), conditional(n, expand(n * (n + 1) / 2), 0));
}

TEST(Series, HighestDegreesStayExact) {
  // The sum of k^20 for k = 1 .. 3, and the sum of k^21, which remains a series.
  EXPECT_EQ(evaluate_exactly(series(k, 1, p, power(k, 20)), {{"p", 3}}).value(),
            Rational(1 + 1'048'576 + 3'486'784'401));
  EXPECT_EQ(series(k, 1, p, power(k, 21)).operation(), Operation::series);
  EXPECT_EQ(evaluate_exactly(series(k, 1, p, power(k, 21)), {{"p", 2}}).value(), Rational(1 + 2'097'152));
}

TEST(Series, UnknownSignOfTheRangeKeepsACondition) {
  const Expression sum = series(k, 1, n, 1);
  EXPECT_EQ(to_text(sum), "if(n >= 0, n, 0)");
  EXPECT_EQ(evaluate(sum, {{"n", -5}}).value(), 0);
}

TEST(Series, EmptyRangeNeedsNoValueOfTheBody) {
  // There are no terms for r = 0, so the division by n = 0 never happens.
  const Expression sum = series(k, 1, r, k / n);
  EXPECT_EQ(evaluate(sum, {{"r", 0}, {"n", 0}}).value(), 0);
  EXPECT_FALSE(evaluate(sum, {{"r", 1}, {"n", 0}}).ok());
}

TEST(Series, WhatIsNotPolynomialStaysAndIsAddedUp) {
  const Expression sum = series(k, 1, n, log2(k) + k);
  EXPECT_EQ(to_text(sum), "if(n >= 0, n^2/2 + n/2, 0) + sum(k, 1, n, log2(k))");
  const double wanted = std::log2(2) + std::log2(3) + std::log2(4) + std::log2(5) + 15;
  EXPECT_DOUBLE_EQ(evaluate(sum, {{"n", 5}}).value(), wanted);
  EXPECT_EQ(evaluate(sum, {{"n", -5}}).value(), 0);
}

TEST(Series, FactorsFreeOfTheIndexStandInFront) {
  EXPECT_EQ(series(k, 1, n, 3 * m * log2(k)), 3 * m * series(k, 1, n, log2(k)));
  EXPECT_EQ(series(k, 1, n, log2(k)) - series(j, 1, n, log2(j)), Expression(0));
}

TEST(Series, NameOfTheIndexDoesNotMatter) {
  EXPECT_EQ(series(k, 1, n, floor(n / k)), series(j, 1, n, floor(n / j)));
  EXPECT_EQ(series(k, 1, n, series(j, 1, k, floor(k / j))), series(j, 1, n, series(k, 1, j, floor(j / k))));
}

TEST(Series, BoundsAreRoundedInwards) {
  EXPECT_EQ(series(k, 1, p / 2, k), series(k, 1, floor(p / 2), k));
  EXPECT_EQ(evaluate(series(k, p / 3, p / 2, floor(n / k)), {{"p", 7}, {"n", 10}}).value(), 3);  // k = 3 only
}

TEST(Series, SubstitutionDoesNotCaptureTheIndex) {
  const Expression sum = series(k, 1, 4, floor(m / k));
  const Expression moved = substitute(sum, {{"m", symbol("k", SymbolKind::loop_index)}});
  EXPECT_THAT(free_symbols(moved), testing::ElementsAre(k));
  // floor(12/1) + floor(12/2) + floor(12/3) + floor(12/4)
  EXPECT_EQ(evaluate(moved, {{"k", 12}}).value(), 25);
}

TEST(Series, SubstitutionOfASeriesIntoABodyKeepsTheIndicesApart) {
  const Expression inner = series(j, 1, 3, floor(n / j));  // n + n/2 + n/3, rounded down
  const Expression outer = series(k, 1, 4, series(j, 1, k, floor((m + k) / j)));
  const Expression both = substitute(outer, {{"m", inner}});
  double wanted = 0;
  const double value = 7 + 3 + 2;
  for (int i = 1; i <= 4; ++i) {
    for (int l = 1; l <= i; ++l) wanted += std::floor((value + i) / l);
  }
  EXPECT_EQ(evaluate(both, {{"n", 7}}).value(), wanted);
}

TEST(Series, TooManyTermsAreRefused) {
  const auto value = evaluate(series(k, 1, n, log2(k)), {{"n", 1e12}});
  ASSERT_FALSE(value.ok());
  EXPECT_THAT(value.error().what, testing::HasSubstr("too many terms"));
}

TEST(Series, DeepNestsAreRefusedWhereTheyCannotBeTracked) {
  Expression nest = 1;
  for (int i = 0; i < 64; ++i) nest = series(k, 1, 2, floor(n / k) * (1 + power(nest, Rational::of(1, 2))));
  EXPECT_FALSE(evaluate(nest, {{"n", 1}}).ok());
  EXPECT_FALSE(bound(nest, {{"n", {1, 1}}}).ok());
}

}  // namespace
}  // namespace parcast::symbolic
