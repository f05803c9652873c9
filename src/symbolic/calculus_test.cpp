// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

const Expression n = symbol("n", SymbolKind::parameter);
const Expression m = symbol("m", SymbolKind::parameter);
const Expression p = symbol("p", SymbolKind::processes);
const Expression k = symbol("k", SymbolKind::loop_index);

TEST(Derivative, OfPowersAndProducts) {
  EXPECT_EQ(differentiate(power(n, 3) * m, n), 3 * power(n, 2) * m);
  EXPECT_EQ(differentiate(power(n, Rational::of(1, 2)), n), power(n, Rational::of(-1, 2)) / 2);
  EXPECT_EQ(differentiate(n / p, p), -n / power(p, 2));
  EXPECT_EQ(differentiate(m, n), Expression(0));
  EXPECT_EQ(differentiate(power(n + m, 4), n), 4 * power(n + m, 3));
}

TEST(Derivative, OfLogarithm) {
  EXPECT_DOUBLE_EQ(evaluate(differentiate(log2(n), n), {{"n", 4}}).value(), 1 / (4 * std::log(2)));
}

TEST(Derivative, OfRoundingIsZeroBetweenTheSteps) {
  EXPECT_EQ(differentiate(floor(n / p) + ceil(n), n), Expression(0));
  EXPECT_EQ(differentiate(n * ceil(n / p), n), ceil(n / p));
}

TEST(Derivative, OfModuloFollowsTheSlopeBetweenTheSteps) {
  EXPECT_EQ(differentiate(modulo(n, m), n), Expression(1));
  EXPECT_EQ(differentiate(modulo(n, m), m), -floor(n / m));
}

TEST(Derivative, OfExtremaIsThatOfTheDecidingOperand) {
  const Expression slope = differentiate(max(3 * n, max(n * n, m)), n);
  EXPECT_EQ(evaluate(slope, {{"n", 2}, {"m", 0}}).value(), 3);
  EXPECT_EQ(evaluate(slope, {{"n", 4}, {"m", 0}}).value(), 8);
  EXPECT_EQ(evaluate(slope, {{"n", 4}, {"m", 100}}).value(), 0);
  const Expression least = differentiate(min(3 * n, min(n * n, m)), n);
  EXPECT_EQ(evaluate(least, {{"n", 2}, {"m", 100}}).value(), 4);
  EXPECT_EQ(evaluate(least, {{"n", 4}, {"m", 100}}).value(), 3);
  EXPECT_EQ(evaluate(least, {{"n", 4}, {"m", 1}}).value(), 0);
  // At the kink n = 3 the slope is one of the two.
  const double at_kink = evaluate(slope, {{"n", 3}, {"m", 0}}).value();
  EXPECT_TRUE(at_kink == 3 || at_kink == 6) << at_kink;
}

TEST(Derivative, OfConditionalIsThatOfTheBranch) {
  EXPECT_EQ(differentiate(conditional(n - m, n * n, 5 * n), n), conditional(n - m, 2 * n, 5));
}

TEST(Derivative, OfSeriesIsTheSeriesOfDerivatives) {
  EXPECT_EQ(differentiate(series(k, 1, p, log2(n * k + m)), m),
            series(k, 1, p, differentiate(log2(n * k + m), m)));
  EXPECT_EQ(differentiate(series(k, 1, p, floor(p / k)), p), Expression(0));  // a bound moves in steps
}

TEST(Derivative, ByAnIndexNamedLikeTheSymbolOutside) {
  // The free symbol k and the index of the series are different.
  const Expression sum = substitute(series(k, 1, 3, log2(n + k)), {{"n", k}});
  const double wanted = (1 / 6.0 + 1 / 7.0 + 1 / 8.0) / std::log(2);
  EXPECT_DOUBLE_EQ(evaluate(differentiate(sum, k), {{"k", 5}}).value(), wanted);
}

TEST(Derivative, MatchesCentralDifferencesOfSmoothFunctions) {
  const Expression f = n * log2(n + 3) / power(n + 1, Rational::of(3, 2)) + power(m * n, 3) * real(0.25) +
                       max(n, 2 * n + 1) * series(k, 1, 4, log2(k + n));
  const Expression slope = differentiate(f, n);
  for (const double at : {0.5, 1.0, 2.75, 10.0}) {
    const double h = 1e-5;
    const double up = evaluate(f, {{"n", at + h}, {"m", 0.5}}).value(),
                 down = evaluate(f, {{"n", at - h}, {"m", 0.5}}).value();
    EXPECT_NEAR(evaluate(slope, {{"n", at}, {"m", 0.5}}).value(), (up - down) / (2 * h),
                1e-6 * (1 + std::fabs(up)));
  }
}

TEST(Substitution, IsDoneAllAtOnce) {
  EXPECT_EQ(substitute(n - 2 * m, {{"n", m}, {"m", n}}), m - 2 * n);
  EXPECT_EQ(substitute(ceil(n / p), {{"n", p * 3}}), Expression(3));
  EXPECT_FALSE(evaluate(substitute(n / m, {{"m", 0}, {"n", 0}}), {}).ok());  // 0 * 1/0
  EXPECT_FALSE(evaluate(substitute(n / m, {{"m", 0}}), {{"n", 1}}).ok());
}

TEST(Expansion, MultipliesOut) {
  EXPECT_EQ(expand(power(n + m, 2)), n * n + 2 * n * m + m * m);
  EXPECT_EQ(expand((n + 1) * (n - 1)), n * n - 1);
  EXPECT_EQ(expand(log2(n * (n + 1))), log2(n * n + n));
  EXPECT_EQ(expand(real(0.5) * (n + m)), real(0.5) * n + real(0.5) * m);
  EXPECT_EQ(expand(power(n + m, Rational::of(1, 2)) * (n + power(n + m, Rational::of(3, 2)))),
            n * power(n + m, Rational::of(1, 2)) + n * n + 2 * n * m + m * m);
}

TEST(Expansion, OfTooManyTermsIsLeftAlone) {
  const Expression huge = power(n + m + p + 1, 1000);
  EXPECT_EQ(expand(huge), huge);
}

}  // namespace
}  // namespace parcast::symbolic
