// SPDX-License-Identifier: Apache-2.0
#include "source/facts/bounds.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace parcast::facts {
namespace {

using symbolic::Expression;
using symbolic::Rational;
using symbolic::SymbolKind;

const Expression n = symbolic::symbol("n", SymbolKind::parameter),
                 p = symbolic::symbol("p", SymbolKind::processes),
                 r = symbolic::symbol("r", SymbolKind::rank);

// n is at least 0 or `least`, p at least 1, r from 0 to p - 1, and x unbounded.
BoundsOf bounds(std::int64_t least = 0) {
  return {{"n", {least, {}, true}}, {"p", {1, {}, false}}, {"r", {0, p - Expression(1), false}}};
}
bool never(const Expression& value, std::int64_t least = 0) {
  return is_never_negative(value, bounds(least));
}

TEST(Bounds, OfWhatIsNeverNegative) {
  const Expression blocks = symbolic::floor(n / p), rest = symbolic::modulo(n, p);
  EXPECT_TRUE(never(n * n + p - 1));
  EXPECT_FALSE(never(n - 1));
  EXPECT_TRUE(never(n - 3, 8));
  EXPECT_TRUE(never(blocks - 3, 8)) << "a process's part of a size";
  EXPECT_FALSE(never(symbolic::floor(n / 100) - 3, 8)) << "no part of it";
  EXPECT_FALSE(never(symbolic::floor(symbolic::power(n, Rational::of(1, 2))) - 3, 8));
  EXPECT_FALSE(never(r * n - 1, 8)) << "rank 0";
  EXPECT_TRUE(never(p - 1 - r));
  EXPECT_FALSE(never(r - 1));
  EXPECT_TRUE(never(n - rest));
  EXPECT_TRUE(never(p - 1 - rest)) << "a rest of whole numbers is less";
  EXPECT_TRUE(never(n - blocks * p));
  EXPECT_FALSE(never(blocks * p - n));
  EXPECT_TRUE(never(4 * symbolic::floor(n / 4) + 3 - n));
  EXPECT_FALSE(never(4 * symbolic::floor(n / 4) + 2 - n));
  EXPECT_TRUE(never(symbolic::max(n, r) - r));
  EXPECT_TRUE(never(n - symbolic::min(n, r)));
  EXPECT_FALSE(never(symbolic::min(n, r) - n));
  EXPECT_TRUE(never(symbolic::conditional(n - 5, n - 5, 0)));
  EXPECT_TRUE(never(symbolic::conditional(n - 5, 1, 5 - n)));
  EXPECT_FALSE(never(symbolic::conditional(n - 5, n - 6, 0)));
  EXPECT_FALSE(never(symbolic::symbol("x", SymbolKind::parameter)));
}

// The rounds of for (row = first; row < n; row += p) as a compiler counts them: the first own row after row k
// has conditions, and in the sum they cancel.
TEST(Bounds, OfTheRoundsOfALoopOverOwnRows) {
  const Expression k = symbolic::symbol("k", SymbolKind::parameter),
                   x = symbolic::symbol("x", SymbolKind::parameter);
  BoundsOf all = bounds(8);
  all["k"] = {0, n - 1};
  const Expression towards_zero =
      symbolic::conditional(k - r, -symbolic::ceil((r - k) / p), -symbolic::floor((r - k) / p));
  const Expression first = p + p * symbolic::conditional(k - r, towards_zero + 1, 0) + r;
  const Expression rows = symbolic::max(n, first) - first;
  EXPECT_TRUE(is_never_negative(rows, all));
  EXPECT_TRUE(is_never_negative(symbolic::floor((rows - symbolic::min(1, rows)) / p), all));
  EXPECT_TRUE(is_never_negative(symbolic::max(n, x * first) - x * first, all)) << "whatever x is";
  EXPECT_FALSE(is_never_negative(symbolic::max(n, first) - first - 1, all));
}

// For a number that need not be an integer, floor(x) + 1 is greater than x, but floor(x) need not be.
TEST(Bounds, OfNumbersThatAreNotWhole) {
  BoundsOf real = bounds();
  real["n"].whole = false;
  EXPECT_FALSE(is_never_negative(symbolic::floor(n) - n, real));
  EXPECT_TRUE(is_never_negative(symbolic::floor(n) + 1 - n, real));
}

TEST(Bounds, OfMagnitudes) {
  EXPECT_EQ(magnitude(3 * n * n - p, bounds(), 100), 31'000);
  EXPECT_EQ(magnitude(r, bounds(), 100), 1'001);
  EXPECT_EQ(magnitude(symbolic::modulo(n * n, 7), bounds(), 1e9), 7);
  EXPECT_EQ(magnitude(symbolic::min(-5, n), bounds(), 100), 100);
}

class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {}
  Expression of(int depth) {
    if (depth == 0) return leaf();
    switch (pick(9)) {
      case 0:
      case 1:
        return of(depth - 1) - of(depth - 1);
      case 2:
        return of(depth - 1) + of(depth - 1);
      case 3:
        return Expression(pick(7) - 3) * of(depth - 1);
      case 4:
        return symbolic::floor(of(depth - 1) / (pick(3) ? Expression(1 + pick(5)) : p));
      case 5:
        return symbolic::ceil(of(depth - 1) / Expression(1 + pick(5)));
      case 6:
        return symbolic::modulo(of(depth - 1), pick(2) ? Expression(1 + pick(8)) : p);
      case 7:
        return pick(2) ? symbolic::max(of(depth - 1), of(depth - 1))
                       : symbolic::min(of(depth - 1), of(depth - 1));
      default:
        return symbolic::conditional(of(depth - 1), of(depth - 1), of(depth - 1));
    }
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  Expression leaf() {
    switch (pick(5)) {
      case 0:
        return Expression(pick(9) - 4);
      case 1:
        return p;
      case 2:
        return r;
      default:
        return n;
    }
  }
  std::mt19937 random_;
};

TEST(Bounds, WhatIsProvedHoldsAtAllPoints) {
  RandomExpressions random(7);
  int proved = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const Expression value = random.of(1 + trial % 4);
    const bool is_proved = never(value);
    proved += is_proved && !value.is_number();
    for (const int size : {0, 1, 2, 3, 7, 10, 64, 99})
      for (const int processes : {1, 2, 5})
        for (int rank = 0; rank < processes; ++rank) {
          const auto at =
              symbolic::evaluate(value, {{"n", double(size)}, {"p", double(processes)}, {"r", double(rank)}});
          ASSERT_TRUE(at);
          if (is_proved)
            ASSERT_GE(*at, -1e-9) << symbolic::to_text(value) << " at " << size << ", " << processes << ", "
                                  << rank;
          ASSERT_LE(std::abs(*at), magnitude(value, bounds(), 99) * (1 + 1e-9)) << symbolic::to_text(value);
        }
  }
  EXPECT_GT(proved, 3'000);
}

}  // namespace
}  // namespace parcast::facts
