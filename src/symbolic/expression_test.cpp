// SPDX-License-Identifier: Apache-2.0
// Canonical form: what is equal, what is simplified, and what stays unchanged.

#include "symbolic/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "symbolic/node.h"
#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

const Expression n = symbol("n", SymbolKind::parameter);
const Expression m = symbol("m", SymbolKind::parameter);
const Expression p = symbol("p", SymbolKind::processes);
const Expression r = symbol("r", SymbolKind::rank);
const Expression x = symbol("x", SymbolKind::machine_cost);
const Expression half = Rational::of(1, 2);

TEST(Canonical, OrderOfBuildingDoesNotMatter) {
  EXPECT_EQ(n + p, p + n);
  EXPECT_EQ(n * p, p * n);
  EXPECT_EQ((n + p) + m, n + (p + m));
  EXPECT_EQ((n * p) * m, n * (p * m));
  EXPECT_EQ(min(n, max(p, m)), min(max(m, p), n));
  EXPECT_NE(n - p, p - n);
}

TEST(Canonical, LikeTermsAndLikeFactorsAreCollected) {
  EXPECT_EQ(n + n, 2 * n);
  EXPECT_EQ(n - n, Expression(0));
  EXPECT_EQ(n * n * n, power(n, 3));
  EXPECT_EQ(n / n, Expression(1));
  EXPECT_EQ(power(n, half.constant()) * power(n, half.constant()), n);
  EXPECT_EQ(power(power(n, 3), -2), power(n, -6));
  EXPECT_EQ(power(2 * n * p, 3), 8 * power(n, 3) * power(p, 3));
}

TEST(Canonical, NumbersTimesSumsHaveOneForm) {
  EXPECT_EQ(2 * (n + p), 2 * n + 2 * p);
  EXPECT_EQ((2 * (n + p)) * m, 2 * ((n + p) * m));
  EXPECT_EQ((2 * n + 2 * p) * (n + p), 2 * power(n + p, 2));
  EXPECT_EQ((p - n) * (n - p), -power(n - p, 2));
  EXPECT_EQ((n / 2 + p / 3) * m, m * (3 * n + 2 * p) / 6);
}

TEST(Canonical, EvenRootsOfEvenPowersAreNotTheBase) {
  // (x^2)^(1/2) is |x|, which is x only where x >= 0 is known.
  EXPECT_NE(power(power(n, 2), Rational::of(1, 2)), n);
  EXPECT_EQ(evaluate(power(power(n, 2), Rational::of(1, 2)), {{"n", -3}}).value(), 3);
  EXPECT_EQ(power(power(p, 2), Rational::of(1, 2)), p);
}

TEST(Canonical, RootsOfNumbers) {
  EXPECT_EQ(power(4, Rational::of(1, 2)), Expression(2));
  EXPECT_EQ(power(8, Rational::of(2, 3)), Expression(4));
  EXPECT_EQ(power(Rational::of(4, 9), Rational::of(-3, 2)), Expression(Rational::of(27, 8)));
  EXPECT_EQ(power(8, Rational::of(1, 2)), 2 * power(2, Rational::of(1, 2)));
  EXPECT_EQ(power(2, Rational::of(1, 2)) * power(2, Rational::of(1, 2)), Expression(2));
  EXPECT_EQ(power(2, Rational::of(-1, 2)), power(2, Rational::of(1, 2)) / 2);
  EXPECT_FALSE(evaluate(power(-2, Rational::of(1, 2)), {}).ok());
}

TEST(Canonical, RoundingPullsOutWholeTerms) {
  EXPECT_EQ(floor(n / p + 3), 3 + floor(n / p));
  EXPECT_EQ(floor(n + Rational::of(7, 2)), 3 + floor(n + half));
  EXPECT_EQ(floor((n + p) / p), 1 + floor(n / p));
  EXPECT_EQ(floor(p), p);
  EXPECT_EQ(ceil(r * p + 1), r * p + 1);
  EXPECT_NE(floor(n), n);  // a parameter may be a fraction
  EXPECT_EQ(floor(-n / p), -ceil(n / p));
  EXPECT_EQ(ceil(half - n), 1 - floor(n + half));
  EXPECT_EQ(floor(Rational::of(-7, 2)), Expression(-4));
  EXPECT_EQ(ceil(Rational::of(-7, 2)), Expression(-3));
  EXPECT_EQ(floor(floor(n / p) + ceil(n)), floor(n / p) + ceil(n));
}

TEST(Canonical, RoundedSumsOfQuotientsAreOneQuotient) {
  // (n - 1)/p is 5 at n = 36, p = 7, where n/p - 1/p in doubles is below 5.
  EXPECT_EQ(floor(n / p - 1 / p), floor((n - 1) / p));
  EXPECT_EQ(to_text(floor(n / p - 1 / p)), "floor((n - 1)/p)");
  for (int q = 1; q < 200; ++q) {
    for (int k = 1; k < 50; ++k) {
      const Binding at{{"n", q * k + 1}, {"p", q}};
      ASSERT_EQ(evaluate(floor(n / p - 1 / p), at).value(), k) << q << " " << k;
      ASSERT_EQ(evaluate(floor(n / 3 - Rational::of(1, 3)), {{"n", 3.0 * k + 1}}).value(), k);
    }
  }
}

TEST(Canonical, RemaindersDropWholeMultiples) {
  EXPECT_EQ(modulo(r + p, p), modulo(r, p));
  EXPECT_EQ(modulo(p * (r + 2), p), Expression(0));
  EXPECT_EQ(modulo(n + 7, 3), modulo(n + 1, 3));
  EXPECT_EQ(modulo(-7, 3), Expression(2));
  EXPECT_EQ(modulo(7, -3), Expression(-2));
  EXPECT_EQ(modulo(Rational::of(7, 2), Rational::of(1, 3)), Expression(Rational::of(1, 6)));
  EXPECT_NE(modulo(n, 1), Expression(0));
}

TEST(Canonical, ExtremaDropWhatCannotDecide) {
  EXPECT_EQ(min(n, n + 1), n);
  EXPECT_EQ(max(n, n + 1), n + 1);
  EXPECT_EQ(max(r, 0), r);
  EXPECT_EQ(max(p, 1), p);
  EXPECT_EQ(min(min(n, 3), min(5, m)), min(n, min(m, 3)));
  EXPECT_EQ(min(n, n), n);
}

TEST(Canonical, LogarithmsOfPowersAndProducts) {
  EXPECT_EQ(log2(8), Expression(3));
  EXPECT_EQ(log2(Rational::of(1, 4)), Expression(-2));
  EXPECT_EQ(log2(12), 2 + log2(3));
  EXPECT_EQ(log2(power(n, 3)), 3 * log2(n));
  EXPECT_EQ(log2(8 * n), 3 + log2(n));
  EXPECT_EQ(log2(p * p), 2 * log2(p));
  EXPECT_NE(log2(n * n), 2 * log2(n));  // has a value at n < 0
  EXPECT_EQ(log2(n / p), log2(n) - log2(p));
  EXPECT_EQ(log2(4 * n + 4 * m), 2 + log2(n + m));
}

TEST(Canonical, ConditionsKeepOnlyTheSign) {
  EXPECT_EQ(conditional(2 * n - 4, n, m), conditional(n - 2, n, m));
  EXPECT_EQ(conditional(n, m, m), m);
  EXPECT_EQ(conditional(0, n, m), n);
  EXPECT_EQ(conditional(-1, n, m), m);
  EXPECT_EQ(conditional(r, n, m), n);
  EXPECT_EQ(conditional(-p, n, m), m);
  EXPECT_EQ(conditional(n, conditional(n, p, r), m), conditional(n, p, m));
}

TEST(Canonical, KindsTellSymbolsOfOneNameApart) {
  EXPECT_NE(symbol("n", SymbolKind::rank), n);
  EXPECT_EQ(symbol("n", SymbolKind::parameter), n);
}

TEST(RealConstants, StayApartFromExactOnes) {
  EXPECT_NE(real(2.0), Expression(2));
  EXPECT_EQ(real(0.0), Expression(0));
  EXPECT_EQ(real(-0.0), Expression(0));
  EXPECT_EQ(real(0.5) + real(0.25), real(0.75));
  EXPECT_EQ(real(1.5) * n * 2, real(3.0) * n);
  EXPECT_EQ(real(1.5) * n - real(1.5) * n, Expression(0));
  EXPECT_EQ((real(2.5) * n + m) - (real(2.5) * n + m), Expression(0));
  EXPECT_EQ(real(1.5).number(), 1.5);
  EXPECT_FALSE(evaluate_exactly(real(1.5) * n, {{"n", 2}}).ok());
}

TEST(RealConstants, NotANumberIsUndefinedAndInfinityHasNoValue) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_text(real(std::nan(""))), "1/0");
  EXPECT_FALSE(evaluate(real(infinity), {}).ok());
  EXPECT_EQ(real(infinity) - real(infinity), real(std::nan("")));
  EXPECT_FALSE(evaluate(n / Expression(0), {{"n", 1}}).ok());
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TEST(Overflow, SumsAndProductsBecomeRealConstants) {
  const Expression sum = Expression(kHuge) + Expression(kHuge);
  EXPECT_EQ(sum.operation(), Operation::real);
  EXPECT_EQ(sum.number(), 0x1p64);
  const Expression product = (Expression(kHuge) * n) * Expression(4);
  EXPECT_EQ(product, real(0x1p65) * n);
  EXPECT_FALSE(evaluate_exactly(product, {{"n", 0}}).ok());
  const Expression fine = Expression(Rational::of(1, kHuge)) * Expression(Rational::of(1, 4));
  EXPECT_DOUBLE_EQ(fine.number(), 0x1p-65);
  EXPECT_EQ(-Expression(std::numeric_limits<std::int64_t>::min()), real(0x1p63));
}

TEST(Overflow, PowersOfNumbersStayUnevaluated) {
  const Expression big = power(Expression(10), 30);
  EXPECT_EQ(big.operation(), Operation::power);
  EXPECT_EQ(big * power(Expression(10), -30), Expression(1));
  EXPECT_DOUBLE_EQ(evaluate(big, {}).value(), 1e30);
  EXPECT_FALSE(evaluate_exactly(big, {}).ok());
}

TEST(Overflow, ExactEvaluationSaysThatAValueDoesNotFit) {
  const auto value = evaluate_exactly(power(n, 3), {{"n", 3'000'000}});
  ASSERT_FALSE(value.ok());
  EXPECT_THAT(value.error().what, testing::HasSubstr("does not fit"));
  EXPECT_EQ(evaluate_exactly(power(n, 3), {{"n", 2'000'000}}).value(), Rational(8'000'000'000'000'000'000));
}

TEST(Overflow, NumbersAreNotDistributedWhereThatWouldRound) {
  const Expression a = n + Expression(kHuge) * m;
  const Expression tripled = 3 * a;
  EXPECT_EQ(tripled.operation(), Operation::product);
  EXPECT_EQ(tripled / 3, a);
}

TEST(Order, IsTotalAndOfNumbersByValue) {
  const std::vector<Expression> all{
      Expression(-1), Expression(0), real(0.5), Expression(1), n,       m,         p,
      n * p,          n * n,         n + p,     floor(n / p),  log2(n), min(n, m), power(n + 1, -2),
      real(1.5) * n};
  for (const Expression& a : all) {
    for (const Expression& b : all) {
      EXPECT_EQ(a == b, (a <=> b) == 0);
      EXPECT_EQ(a<b, b> a);
      for (const Expression& c : all) EXPECT_FALSE(a < b && b < c && !(a < c));
    }
  }
  EXPECT_LT(Expression(-1), Expression(0));
  EXPECT_LT(Expression(0), real(0.5));
  EXPECT_LT(real(0.5), Expression(1));
}

TEST(Nodes, AreForgottenWithTheirLastReference) {
  const std::size_t before = interned_node_count();
  {
    const Expression a = power(symbol("a", SymbolKind::parameter) + 17, 5) * floor(n / 23);
    EXPECT_GT(interned_node_count(), before);
  }
  EXPECT_EQ(interned_node_count(), before);
}

TEST(Nodes, AreSharedBetweenThreads) {
  std::vector<Expression> results(8);
  std::vector<std::thread> threads;
  for (Expression& result : results) {
    threads.emplace_back([&result] {
      for (int i = 0; i < 200; ++i) {
        const Expression a = symbol("a", SymbolKind::parameter);
        result = Expression(0);
        for (int k = 1; k <= 10; ++k) result = result + floor(a / k) * power(a + k, 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Expression& result : results) EXPECT_EQ(result, results[0]);
}

TEST(FreeSymbols, ExcludeTheIndexOfASeries) {
  const Expression k = symbol("k", SymbolKind::loop_index);
  EXPECT_THAT(free_symbols(series(k, 1, n, log2(k + m)) + p), testing::ElementsAre(m, n, p));
}

}  // namespace
}  // namespace parcast::symbolic
