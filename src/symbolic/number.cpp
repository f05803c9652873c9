// SPDX-License-Identifier: Apache-2.0
#include "symbolic/number.h"

#include <cmath>

namespace parcast::symbolic {

Number Number::real(double value) {
  Number out;
  if (value == 0) return out;
  out.real_ = value;
  out.is_real_ = true;
  return out;
}

std::strong_ordering operator<=>(const Number& a, const Number& b) {
  if (!a.is_real_ && !b.is_real_) return a.exact_ <=> b.exact_;
  const double left = a.to_double(), right = b.to_double();
  if (left < right) return std::strong_ordering::less;
  if (left > right) return std::strong_ordering::greater;
  return a.is_real_ <=> b.is_real_;
}

Number add(const Number& a, const Number& b) {
  if (!a.is_real() && !b.is_real()) {
    if (const std::optional<Rational> exact = add(a.exact(), b.exact())) return *exact;
  }
  return a.is_zero() ? b : b.is_zero() ? a : Number::real(a.to_double() + b.to_double());
}

Number multiply(const Number& a, const Number& b) {
  if (a.is_zero() || b.is_zero()) return 0;
  if (!a.is_real() && !b.is_real()) {
    if (const std::optional<Rational> exact = multiply(a.exact(), b.exact())) return *exact;
  }
  return Number::real(a.to_double() * b.to_double());
}

Number negate(const Number& a) {
  return multiply(-1, a);
}

namespace {

std::optional<Number> exact_power(const Rational& base, const Rational& exponent) {
  std::optional<Rational> root = base;
  if (!exponent.is_integer()) root = exact_root(base, exponent.denominator());
  if (!root) return std::nullopt;
  const std::optional<Rational> value = power(*root, exponent.numerator());
  return value ? std::optional<Number>(*value) : std::nullopt;
}

}  // namespace

std::optional<Number> folded_power(const Number& base, const Rational& exponent) {
  if (!base.is_real()) return exact_power(base.exact(), exponent);
  if (base.sign() < 0 && !exponent.is_integer()) return std::nullopt;
  const double value = std::pow(base.to_double(), exponent.to_double());
  if (!std::isfinite(value) || value == 0) return std::nullopt;
  return Number::real(value);
}

}  // namespace parcast::symbolic
