// SPDX-License-Identifier: Apache-2.0
#include "symbolic/rational.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.h"

namespace parcast::symbolic {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

namespace {

UnsignedWide magnitude(Wide a) {
  return a < 0 ? -static_cast<UnsignedWide>(a) : static_cast<UnsignedWide>(a);
}

UnsignedWide greatest_common_divisor(UnsignedWide a, UnsignedWide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

// An intermediate fraction of 128-bit integers.
struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;

  std::optional<Rational> reduced() const {
    if (denominator == 0) return std::nullopt;
    const UnsignedWide divisor = greatest_common_divisor(magnitude(numerator), magnitude(denominator));
    const UnsignedWide n = magnitude(numerator) / divisor;
    const UnsignedWide d = magnitude(denominator) / divisor;
    const bool negative = (numerator < 0) != (denominator < 0) && n != 0;
    constexpr UnsignedWide kLargest = std::numeric_limits<std::int64_t>::max();
    if (d > kLargest || n > kLargest + (negative ? 1 : 0)) return std::nullopt;
    Rational out;
    out.numerator_ = static_cast<std::int64_t>(negative ? -static_cast<Wide>(n) : static_cast<Wide>(n));
    out.denominator_ = static_cast<std::int64_t>(d);
    return out;
  }
};

std::optional<Rational> Rational::make(std::int64_t numerator, std::int64_t denominator) {
  return Fraction{numerator, denominator}.reduced();
}

double Rational::to_double() const {
  return static_cast<double>(static_cast<long double>(numerator_) / static_cast<long double>(denominator_));
}

std::int64_t Rational::floor() const {
  return floor_divide(numerator_, denominator_);
}

std::int64_t Rational::ceil() const {
  return is_integer() ? numerator_ : floor() + 1;
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  const Wide left = static_cast<Wide>(a.numerator_) * b.denominator_;
  const Wide right = static_cast<Wide>(b.numerator_) * a.denominator_;
  return left < right    ? std::strong_ordering::less
         : left == right ? std::strong_ordering::equal
                         : std::strong_ordering::greater;
}

std::optional<Rational> add(const Rational& a, const Rational& b) {
  // Each product has at most 126 bits, their sum at most 127.
  return Fraction{
      static_cast<Wide>(a.numerator()) * b.denominator() + static_cast<Wide>(b.numerator()) * a.denominator(),
      static_cast<Wide>(a.denominator()) * b.denominator()}
      .reduced();
}

std::optional<Rational> subtract(const Rational& a, const Rational& b) {
  return Fraction{
      static_cast<Wide>(a.numerator()) * b.denominator() - static_cast<Wide>(b.numerator()) * a.denominator(),
      static_cast<Wide>(a.denominator()) * b.denominator()}
      .reduced();
}

std::optional<Rational> multiply(const Rational& a, const Rational& b) {
  return Fraction{static_cast<Wide>(a.numerator()) * b.numerator(),
                  static_cast<Wide>(a.denominator()) * b.denominator()}
      .reduced();
}

std::optional<Rational> divide(const Rational& a, const Rational& b) {
  return Fraction{static_cast<Wide>(a.numerator()) * b.denominator(),
                  static_cast<Wide>(a.denominator()) * b.numerator()}
      .reduced();
}

std::optional<Rational> negate(const Rational& a) {
  return subtract(Rational(), a);
}

std::optional<Rational> power(const Rational& a, std::int64_t exponent) {
  if (exponent < 0) {
    const std::optional<Rational> inverse = divide(Rational(1), a);
    if (!inverse || exponent == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    return power(*inverse, -exponent);
  }
  std::optional<Rational> result = Rational(1);
  std::optional<Rational> square = a;
  for (; exponent != 0 && result; exponent >>= 1) {
    if (!square) return std::nullopt;
    if (exponent & 1) result = multiply(*result, *square);
    // A square that does not fit matters only if a later factor needs it. 0 and 1 always fit, so the loop
    // ends soon.
    if (exponent > 1) square = multiply(*square, *square);
  }
  return result;
}

namespace {

std::optional<std::int64_t> integer_root(std::int64_t a, std::int64_t degree) {
  const auto near = static_cast<std::int64_t>(
      std::llroundl(std::pow(static_cast<long double>(a), 1.0L / static_cast<long double>(degree))));
  const std::optional<Rational> back = power(Rational(near), degree);
  return back && *back == Rational(a) ? std::optional(near) : std::nullopt;
}

}  // namespace

std::optional<Rational> exact_root(const Rational& a, std::int64_t degree) {
  if (a.sign() < 0 || degree < 1) return std::nullopt;
  const std::optional<std::int64_t> numerator = integer_root(a.numerator(), degree);
  const std::optional<std::int64_t> denominator = integer_root(a.denominator(), degree);
  if (!numerator || !denominator) return std::nullopt;
  return Rational::make(*numerator, *denominator);
}

std::optional<Rational> exact_rational(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  if (mantissa == 0) return Rational();
  while (mantissa % 2 == 0) mantissa /= 2, ++exponent;
  if (exponent < -62 || exponent > 63) return std::nullopt;
  const Wide scale = static_cast<Wide>(1) << (exponent < 0 ? -exponent : exponent);
  return exponent < 0 ? Fraction{mantissa, scale}.reduced() : Fraction{mantissa * scale, 1}.reduced();
}

std::optional<Rational> nearest_rational(double value, std::int64_t largest_denominator) {
  if (!std::isfinite(value) || std::fabs(value) >= 0x1p63 || largest_denominator < 1) return std::nullopt;
  // Continued fraction of |value|. The last step takes the best semiconvergent (Khinchin, Continued
  // Fractions, II 6).
  long double rest = std::fabs(value);
  Wide n0 = 0, d0 = 1, n1 = 1, d1 = 0;
  while (true) {
    const long double whole = std::floor(rest);
    const Wide limit = d1 == 0 ? static_cast<Wide>(whole) : (largest_denominator - d0) / d1;
    const Wide term = whole > static_cast<long double>(limit) ? limit : static_cast<Wide>(whole);
    const Wide n2 = n0 + term * n1, d2 = d0 + term * d1;
    if (n2 > std::numeric_limits<std::int64_t>::max()) break;
    const bool cut = static_cast<long double>(term) < whole;
    if (cut) {
      const auto distance = [&](Wide n, Wide d) {
        return std::fabs(static_cast<long double>(n) / static_cast<long double>(d) - std::fabs(value));
      };
      if (d2 > 0 && distance(n2, d2) < distance(n1, d1)) n1 = n2, d1 = d2;
      break;
    }
    n0 = std::exchange(n1, n2), d0 = std::exchange(d1, d2);
    if (rest == whole) break;
    rest = 1 / (rest - whole);
    if (rest > 0x1p62L) break;
  }
  if (d1 == 0) return std::nullopt;
  return Fraction{value < 0 ? -n1 : n1, d1}.reduced();
}

std::string to_string(const Rational& a) {
  return a.is_integer() ? std::to_string(a.numerator())
                        : std::to_string(a.numerator()) + "/" + std::to_string(a.denominator());
}

}  // namespace parcast::symbolic
