// SPDX-License-Identifier: Apache-2.0
#include "symbolic/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parcast::symbolic::interval {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
// Below this, the error of a product is not representable as a double.
constexpr double kErrorTooSmall = 1e-280;

double down(double a) {
  return std::nextafter(a, -kInfinity);
}
double up(double a) {
  return std::nextafter(a, kInfinity);
}

// The sign of exact - rounded decides whether a bound must move. A rounded infinity of finite operands
// represents an exact value beyond the largest double.
double lower(double rounded, double error) {
  return rounded == kInfinity ? kLargest : error < 0 ? down(rounded) : rounded;
}
// Knuth, The Art of Computer Programming 2, 4.2.2 theorem B: a + b = sum + error, exactly.
double sum_error(double a, double b, double sum) {
  const double virtual_b = sum - a;
  return (a - (sum - virtual_b)) + (b - virtual_b);
}

double add_down(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return a == -kInfinity || b == -kInfinity ? -kInfinity : a + b;
  return lower(a + b, sum_error(a, b, a + b));
}

double add_up(double a, double b) {
  return -add_down(-a, -b);
}

double multiply_down(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  if (std::isinf(a) || std::isinf(b)) return product;
  if (std::fabs(product) < kErrorTooSmall) return down(product);
  return lower(product, std::fma(a, b, -product));
}

double multiply_up(double a, double b) {
  return -multiply_down(-a, b);
}

// For b != 0.
double divide_down(double a, double b) {
  if (a == 0 || std::isinf(b)) return a == 0 ? 0 : (a < 0) != (b < 0) ? down(0.0) : 0.0;
  const double quotient = a / b;
  if (std::isinf(a)) return quotient;
  if (std::fabs(quotient) < kErrorTooSmall || std::fabs(a) < kErrorTooSmall) return down(quotient);
  const double rest = std::fma(-quotient, b, a);
  return lower(quotient, b < 0 ? -rest : rest);
}

double divide_up(double a, double b) {
  return -divide_down(-a, b);
}

// Library functions are accurate to a few units in the last place.
double library_down(double a) {
  for (int i = 0; i < 8; ++i) a = down(a);
  return a;
}
double library_up(double a) {
  return -library_down(-a);
}

}  // namespace

Interval whole_line() {
  return {-kInfinity, kInfinity};
}

Interval point(const Number& value) {
  const double nearest = value.to_double();
  if (std::isinf(nearest)) return nearest > 0 ? Interval{kLargest, nearest} : Interval{nearest, -kLargest};
  if (value.is_real() || exact_rational(nearest) == value.exact()) return {nearest, nearest};
  return {down(nearest), up(nearest)};
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
Interval add(const Interval& a, const Interval& b) {
  return {add_down(a.low, b.low), add_up(a.high, b.high)};
}
Interval subtract(const Interval& a, const Interval& b) {
  return {add_down(a.low, -b.high), add_up(a.high, -b.low)};
}

Interval multiply(const Interval& a, const Interval& b) {
  Interval out{kInfinity, -kInfinity};
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      out.low = std::min(out.low, multiply_down(x, y));
      out.high = std::max(out.high, multiply_up(x, y));
    }
  }
  return out;
}

Range divide(const Interval& a, const Interval& b) {
  if (b.low == 0 && b.high == 0) return std::nullopt;
  if (b.low < 0 && b.high > 0) return whole_line();
  if (b.low == 0 || b.high == 0) {
    // 1/b ranges from its value at the other end to infinity.
    const Interval inverse =
        b.low == 0 ? Interval{divide_down(1, b.high), kInfinity} : Interval{-kInfinity, divide_up(1, b.low)};
    return multiply(a, inverse);
  }
  Interval out{kInfinity, -kInfinity};
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      // An unbounded a over an unbounded b may be anything from 0 on.
      if (std::isinf(x) && std::isinf(y)) {
        out = hull(out, {0, 0});
        continue;
      }
      out.low = std::min(out.low, divide_down(x, y));
      out.high = std::max(out.high, divide_up(x, y));
    }
  }
  return out;
}

namespace {

// base >= 0, exponent >= 1.
Interval whole_power_of_nonnegative(Interval base, std::int64_t exponent) {
  Interval result{1, 1};
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base);
    if (exponent > 1) base = multiply(base, base);
  }
  return result;
}

Interval whole_power(const Interval& base, std::int64_t exponent) {
  const Interval magnitude{base.low > 0    ? base.low
                           : base.high < 0 ? -base.high
                                           : 0,
                           std::max(std::fabs(base.low), std::fabs(base.high))};
  if (exponent % 2 == 0 || base.low >= 0) return whole_power_of_nonnegative(magnitude, exponent);
  const double low = whole_power_of_nonnegative({-base.low, -base.low}, exponent).high;
  const Interval high_end =
      whole_power_of_nonnegative({std::fabs(base.high), std::fabs(base.high)}, exponent);
  return {-low, base.high >= 0 ? high_end.high : -high_end.low};
}

Range fractional_power(const Interval& base, double exponent) {
  if (base.high < 0) return std::nullopt;
  const double low = std::max(base.low, 0.0);
  return Interval{low == 0 ? 0 : std::max(0.0, library_down(std::pow(low, exponent))),
                  base.high == 0 ? 0 : library_up(std::pow(base.high, exponent))};
}

}  // namespace

Range power(const Interval& base, const Rational& exponent) {
  const bool inverted = exponent.sign() < 0;
  const Range positive =
      exponent.is_integer() && exponent.numerator() != std::numeric_limits<std::int64_t>::min()
          ? whole_power(base, inverted ? -exponent.numerator() : exponent.numerator())
          : fractional_power(base, std::fabs(exponent.to_double()));
  return positive && inverted ? divide({1, 1}, *positive) : positive;
}

Interval floor(const Interval& a) {
  return {std::floor(a.low), std::floor(a.high)};
}
Interval ceil(const Interval& a) {
  return {std::ceil(a.low), std::ceil(a.high)};
}

namespace {

// If the modulus is one finite positive number and the quotient has a single floor, a - b floor(a / b) has no
// step.
Range modulo_without_step(const Interval& a, double b) {
  const double first = std::floor(divide_down(a.low, b)), last = std::floor(divide_up(a.high, b));
  if (first != last || std::isinf(first) || std::isinf(b)) return std::nullopt;
  const Interval rest = subtract(a, multiply({b, b}, {first, first}));
  return Interval{std::max(rest.low, 0.0), std::min(rest.high, b)};
}

}  // namespace

Range modulo(const Interval& a, const Interval& b) {
  if (b.low == 0 && b.high == 0) return std::nullopt;
  if (b.low > 0 && a.low >= 0 && a.high < b.low) return a;
  if (b.low == b.high && b.low > 0) {
    if (const Range smooth = modulo_without_step(a, b.low)) return smooth;
  }
  return Interval{std::min(b.low, 0.0), std::max(b.high, 0.0)};
}

Interval minimum(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}
Interval maximum(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

namespace {

// The logarithm of a power of two is exact.
bool is_power_of_two(double a) {
  int exponent = 0;
  return std::frexp(a, &exponent) == 0.5;
}

}  // namespace

Range log2(const Interval& a) {
  if (a.high <= 0) return std::nullopt;
  const double low = a.low <= 0 ? -kInfinity : std::log2(a.low), high = std::log2(a.high);
  return Interval{is_power_of_two(a.low) ? low : library_down(low),
                  is_power_of_two(a.high) ? high : library_up(high)};
}

}  // namespace parcast::symbolic::interval
