// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exact fractions of 64-bit integers, always reduced, with a positive denominator. Arithmetic uses 128 bits.
// A result that does not fit in 64 bits is reported as such and never wrapped.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace parcast::symbolic {

class Rational {
 public:
  constexpr Rational() = default;
  constexpr Rational(std::int64_t value) : numerator_(value) {}
  /// Returns numerator / denominator reduced, or nothing if the denominator is 0 or the reduced fraction does
  /// not fit.
  static std::optional<Rational> make(std::int64_t numerator, std::int64_t denominator);
  /// Returns numerator / denominator for literals that are known to be valid.
  static Rational of(std::int64_t numerator, std::int64_t denominator) {
    return make(numerator, denominator).value();
  }

  constexpr std::int64_t numerator() const { return numerator_; }
  constexpr std::int64_t denominator() const { return denominator_; }
  constexpr bool is_integer() const { return denominator_ == 1; }
  constexpr int sign() const { return (numerator_ > 0) - (numerator_ < 0); }
  /// Returns the nearest double, to within one unit in the last place.
  double to_double() const;
  std::int64_t floor() const;
  std::int64_t ceil() const;

  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
  friend constexpr bool operator==(const Rational& a, const Rational& b) = default;

 private:
  friend struct Fraction;
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

std::optional<Rational> add(const Rational& a, const Rational& b);
std::optional<Rational> subtract(const Rational& a, const Rational& b);
std::optional<Rational> multiply(const Rational& a, const Rational& b);
std::optional<Rational> divide(const Rational& a, const Rational& b);
std::optional<Rational> negate(const Rational& a);
/// Returns a^exponent, or nothing if it does not fit or is 0 to a negative power.
std::optional<Rational> power(const Rational& a, std::int64_t exponent);
/// Returns the rational number whose degree-th power is a >= 0, if there is one (degree >= 1).
std::optional<Rational> exact_root(const Rational& a, std::int64_t degree);

/// Returns the fraction exactly equal to `value`, or nothing if it is not finite or needs more than 64 bits.
std::optional<Rational> exact_rational(double value);
/// Returns the fraction nearest to `value` among those with a denominator up to `largest_denominator`, so
/// that |fraction - value| <= 1 / (2 largest_denominator). Returns nothing if `value` is not finite or
/// |value| >= 2^63.
std::optional<Rational> nearest_rational(double value, std::int64_t largest_denominator);

/// "3", "-7/2"
std::string to_string(const Rational& a);

}  // namespace parcast::symbolic
