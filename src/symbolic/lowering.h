// SPDX-License-Identifier: Apache-2.0
#pragma once
// Translates an expression to double arithmetic. The tree walk and the flat program share it, so both round
// alike. A quotient is one division of the numerator's product by the denominator's product. A sum with
// fractional coefficients is one division of a sum with integer coefficients. So n/p or (n^2 + n)/2 is exact
// where it is an integer.
//
// A machine has a Value, value(Expression) (the value of a part, computed once), and the operations used
// below.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/checked.h"
#include "symbolic/build.h"

namespace parcast::symbolic {

/// Coefficients of a sum scaled to integers: value = (sum of coefficient * rest + constant) / divisor.
struct ScaledCoefficients {
  std::vector<double> terms;  // one per term that is not a number
  double constant = 0;
  double divisor = 1;
};
ScaledCoefficients scaled_coefficients(const Expression& sum);

template <class Machine>
class Lowering {
 public:
  using Value = typename Machine::Value;
  explicit Lowering(Machine& machine) : machine_(machine) {}

  /// Returns the value of a sum, product or power. The machine handles other operations itself.
  Value sum(const Expression& a) {
    const ScaledCoefficients scaled = scaled_coefficients(a);
    Value total = term(a.operands()[0], scaled.terms[0]);
    for (std::size_t i = 1; i < scaled.terms.size(); ++i)
      total = machine_.add(total, term(a.operands()[i], scaled.terms[i]));
    if (scaled.constant != 0) total = machine_.offset(total, scaled.constant);
    return scaled.divisor == 1 ? total : machine_.divide_by(total, scaled.divisor);
  }

  Value product(const Expression& a) {
    const Number& coefficient = coefficient_of(a);
    const bool whole = std::ranges::none_of(
        symbolic_factors(a), [](const Expression& f) { return base_and_exponent(f).second.sign() < 0; });
    // Without a quotient, the product without its number is a part that other expressions may share.
    const bool shareable = whole && !coefficient.is_one();
    Quotient parts = shareable ? Quotient{machine_.value(without_coefficient(a)), std::nullopt} : quotient(a);
    double above = coefficient.to_double(), below = 1;
    if (!coefficient.is_real()) {
      above = static_cast<double>(coefficient.exact().numerator());
      below = static_cast<double>(coefficient.exact().denominator());
    }
    const Value numerator = parts.above ? scale(*parts.above, above) : machine_.constant(above);
    if (parts.below) return machine_.divide(numerator, scale(*parts.below, below));
    return below == 1 ? numerator : machine_.divide_by(numerator, below);
  }

  /// Returns base^exponent for an exponent > 0.
  Value power(const Expression& base, const Rational& exponent) {
    const Value a = machine_.value(base);
    if (exponent.is_integer()) return whole_power(a, exponent.numerator());
    if (exponent == Rational::of(1, 2)) return machine_.square_root(a);
    if (exponent == Rational::of(1, 3)) return machine_.cube_root(a);
    return machine_.fractional_power(a, exponent.to_double());
  }

 private:
  struct Quotient {
    std::optional<Value> above, below;
  };

  Value scale(const Value& a, double factor) { return factor == 1 ? a : machine_.scale(a, factor); }
  Value term(const Expression& a, double coefficient) {
    return scale(machine_.value(without_coefficient(a)), coefficient);
  }

  void append(std::optional<Value>& product, const Value& factor) {
    product = product ? machine_.multiply(*product, factor) : factor;
  }

  Quotient quotient(const Expression& a) {
    Quotient out;
    for (const Expression& factor : symbolic_factors(a)) {
      const auto [base, exponent] = base_and_exponent(factor);
      if (exponent == Rational(1)) {
        append(out.above, machine_.value(base));
      } else if (exponent.sign() > 0) {
        append(out.above, power(base, exponent));
      } else {
        append(out.below, power(base, magnitude_of(exponent)));
      }
    }
    return out;
  }

  static Rational magnitude_of(const Rational& exponent) { return negate(exponent).value_or(exponent); }

  Value whole_power(Value a, std::int64_t exponent) {
    std::optional<Value> result;
    while (true) {
      if (exponent & 1) append(result, a);
      if ((exponent >>= 1) <= 0) return result ? *result : a;
      a = machine_.multiply(a, a);
    }
  }

  Machine& machine_;
};

}  // namespace parcast::symbolic
