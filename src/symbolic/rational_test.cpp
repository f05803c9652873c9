// SPDX-License-Identifier: Apache-2.0
#include "symbolic/rational.h"

#include <ginac/ginac.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace parcast::symbolic {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Rational, IsReducedWithPositiveDenominator) {
  EXPECT_EQ(Rational::of(6, -4), Rational::of(-3, 2));
  EXPECT_EQ(Rational::of(0, -7), Rational(0));
  EXPECT_EQ(Rational::of(kLeast, kLeast), Rational(1));
  EXPECT_FALSE(Rational::make(1, 0));
  EXPECT_FALSE(Rational::make(1, kLeast));  // 2^63 does not fit
  EXPECT_FALSE(Rational::make(kLeast, -1));
  EXPECT_TRUE(Rational::make(kLeast, 1));
}

TEST(Rational, FloorAndCeilAreMathematical) {
  EXPECT_EQ(Rational::of(7, 2).floor(), 3);
  EXPECT_EQ(Rational::of(-7, 2).floor(), -4);
  EXPECT_EQ(Rational::of(7, 2).ceil(), 4);
  EXPECT_EQ(Rational::of(-7, 2).ceil(), -3);
  EXPECT_EQ(Rational(kLeast).ceil(), kLeast);
  EXPECT_EQ(Rational(kMost).ceil(), kMost);
}

TEST(Rational, OverflowIsSaidAtTheEdge) {
  EXPECT_EQ(add(Rational(kMost - 1), Rational(1)), Rational(kMost));
  EXPECT_FALSE(add(Rational(kMost), Rational(1)));
  EXPECT_FALSE(subtract(Rational(kLeast), Rational(1)));
  EXPECT_FALSE(multiply(Rational(kMost), Rational(2)));
  EXPECT_FALSE(divide(Rational(kLeast), Rational(-1)));
  EXPECT_FALSE(divide(Rational(1), Rational(0)));
  EXPECT_FALSE(negate(Rational(kLeast)));
  // needs 128 bits for intermediate results
  EXPECT_EQ(multiply(Rational::of(kMost, 2), Rational::of(2, kMost)), Rational(1));
  EXPECT_EQ(power(Rational(2), 62), Rational(std::int64_t{1} << 62));
  EXPECT_EQ(power(Rational(-2), 63), Rational(kLeast));
  EXPECT_FALSE(power(Rational(2), 63));
  EXPECT_EQ(power(Rational::of(2, 3), -3), Rational::of(27, 8));
  EXPECT_EQ(power(Rational(-1), kMost), Rational(-1));
  EXPECT_FALSE(power(Rational(0), -1));
  EXPECT_EQ(power(Rational(0), 0), Rational(1));
}

GiNaC::numeric exactly(const Rational& a) {
  return GiNaC::numeric(std::to_string(a.numerator()).c_str()) /
         GiNaC::numeric(std::to_string(a.denominator()).c_str());
}

bool fits(const GiNaC::numeric& a) {
  return a.numer() <= GiNaC::numeric(std::to_string(kMost).c_str()) &&
         a.numer() >= GiNaC::numeric(std::to_string(kLeast).c_str()) &&
         a.denom() <= GiNaC::numeric(std::to_string(kMost).c_str());
}

// Random rationals of all magnitudes, so that about half of the operations overflow.
Rational random_rational(std::mt19937_64& random) {
  const auto any = [&] {
    return static_cast<std::int64_t>(random() >> (random() % 63)) * (random() % 2 == 0 ? 1 : -1);
  };
  while (true) {
    if (const auto out = Rational::make(any(), any())) return *out;
  }
}

TEST(Rational, AgreesWithArbitraryPrecisionOrSaysThatItDoesNotFit) {
  std::mt19937_64 random(1);
  int overflowed = 0, fitted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Rational a = random_rational(random), b = random_rational(random);
    const GiNaC::numeric x = exactly(a), y = exactly(b);
    const auto check = [&](const std::optional<Rational>& ours, const GiNaC::numeric& wanted) {
      ASSERT_EQ(ours.has_value(), fits(wanted)) << to_string(a) << " " << to_string(b);
      ASSERT_TRUE(!ours || exactly(*ours) == wanted) << to_string(a) << " " << to_string(b);
      ++(ours ? fitted : overflowed);
    };
    check(add(a, b), x + y);
    check(subtract(a, b), x - y);
    check(multiply(a, b), x * y);
    if (b.sign() != 0) check(divide(a, b), x / y);
    ASSERT_EQ(a < b, x < y);
  }
  EXPECT_GT(overflowed, 1000);
  EXPECT_GT(fitted, 1000);
}

TEST(Rational, ExactRootsAreFoundAndNothingElse) {
  EXPECT_EQ(exact_root(Rational::of(27, 8), 3), Rational::of(3, 2));
  EXPECT_EQ(exact_root(Rational(0), 5), Rational(0));
  EXPECT_EQ(exact_root(Rational(3'037'000'499LL * 3'037'000'499LL), 2), Rational(3'037'000'499LL));
  EXPECT_FALSE(exact_root(Rational(3'037'000'499LL * 3'037'000'499LL - 1), 2));
  EXPECT_FALSE(exact_root(Rational(2), 2));
  EXPECT_FALSE(exact_root(Rational(-8), 3));
}

TEST(Rational, DoublesConvertExactlyWhereTheyFit) {
  EXPECT_EQ(exact_rational(0.75), Rational::of(3, 4));
  EXPECT_EQ(exact_rational(-0x1p62), Rational(-(std::int64_t{1} << 62)));
  EXPECT_EQ(exact_rational(-0x1p63), Rational(kLeast));
  EXPECT_EQ(exact_rational(0x1p-62), Rational::of(1, std::int64_t{1} << 62));
  EXPECT_FALSE(exact_rational(0x1p63));
  EXPECT_FALSE(exact_rational(0x1p-63));
  EXPECT_FALSE(exact_rational(2.3e-6));  // needs 71 bits below the point
  EXPECT_FALSE(exact_rational(std::nan("")));
  EXPECT_FALSE(exact_rational(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(exact_rational(0.1)->to_double(), 0.1);
}

TEST(Rational, NearestFractionOfSmallDenominator) {
  EXPECT_EQ(nearest_rational(std::acos(-1.0), 10), Rational::of(22, 7));
  EXPECT_EQ(nearest_rational(std::acos(-1.0), 1000), Rational::of(355, 113));
  EXPECT_EQ(nearest_rational(0.3333333, 10), Rational::of(1, 3));
  EXPECT_EQ(nearest_rational(-2.5, 100), Rational::of(-5, 2));
  EXPECT_EQ(nearest_rational(0.0, 5), Rational(0));
  EXPECT_EQ(nearest_rational(1e-9, 10), Rational(0));
  EXPECT_FALSE(nearest_rational(1e19, 10));
}

TEST(Rational, NearestFractionIsNearestOfAll) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(-3, 3);
  for (int i = 0; i < 500; ++i) {
    const double value = any(random);
    const std::int64_t largest = 1 + static_cast<std::int64_t>(random() % 60);
    double best = 10;
    for (std::int64_t d = 1; d <= largest; ++d) {
      best = std::min(best,
                      std::fabs(std::round(value * static_cast<double>(d)) / static_cast<double>(d) - value));
    }
    const double error = std::fabs(nearest_rational(value, largest)->to_double() - value);
    ASSERT_NEAR(error, best, 1e-15) << value << " " << largest;
    ASSERT_LE(error, 0.5 / static_cast<double>(largest) + 1e-15);
  }
}

}  // namespace
}  // namespace parcast::symbolic
