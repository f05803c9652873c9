// SPDX-License-Identifier: Apache-2.0
#pragma once
// A numeric constant of an expression: an exact fraction, or a double. Results of exact operands stay exact
// while they fit in 64 bits; all others are doubles. A double that is zero counts as the exact zero.

#include <compare>
#include <optional>

#include "symbolic/rational.h"

namespace parcast::symbolic {

class Number {
 public:
  Number() = default;
  Number(const Rational& value) : exact_(value) {}
  Number(int value) : exact_(value) {}
  static Number real(double value);

  bool is_real() const { return is_real_; }
  const Rational& exact() const { return exact_; }
  double to_double() const { return is_real_ ? real_ : exact_.to_double(); }
  bool is_zero() const { return !is_real_ && exact_ == Rational(0); }
  bool is_one() const { return !is_real_ && exact_ == Rational(1); }
  bool is_minus_one() const { return !is_real_ && exact_ == Rational(-1); }
  int sign() const { return is_real_ ? (real_ > 0) - (real_ < 0) : exact_.sign(); }

  friend bool operator==(const Number& a, const Number& b) {
    return a.is_real_ == b.is_real_ && a.exact_ == b.exact_ && a.real_ == b.real_;
  }
  /// By value; an exact number precedes an equal real one. Not defined for NaN.
  friend std::strong_ordering operator<=>(const Number& a, const Number& b);

 private:
  Rational exact_;
  double real_ = 0;
  bool is_real_ = false;
};

Number add(const Number& a, const Number& b);
Number multiply(const Number& a, const Number& b);
Number negate(const Number& a);
/// Returns base^exponent if it is a finite nonzero number (for a fractional exponent of an exact base: only
/// exact roots).
std::optional<Number> folded_power(const Number& base, const Rational& exponent);

}  // namespace parcast::symbolic
