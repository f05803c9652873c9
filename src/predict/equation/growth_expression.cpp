// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/growth_expression.h"

#include <algorithm>
#include <cmath>

#include "predict/dependence/extreme.h"

namespace parcast::predict {

using symbolic::Expression;
using symbolic::Rational;

namespace {

// Returns whether the expression contains a number below zero, as n - 2 does. Parameters, ranks and process
// counts are not negative.
bool may_be_negative(const Expression& e) {
  if (e.is_number()) return e.number() < 0;
  const auto operands = e.operation() == symbolic::Operation::power ? e.operands().first(1) : e.operands();
  return std::ranges::any_of(operands, may_be_negative);
}

// A fractional power of a negative value has no value, and ends a prediction. An extent below zero holds
// nothing, so it counts as zero, as in statistics::shape_value.
Expression power_of_extent(const Expression& extent, const Rational& exponent) {
  const bool is_safe = exponent.is_integer() || !may_be_negative(extent);
  return power(is_safe ? extent : max(extent, Expression()), exponent);
}

}  // namespace

Rational nearest_fraction(double value) {
  for (const std::int64_t denominator : {1, 2, 3, 4, 5, 6, 8, 12}) {
    const double numerator = value * static_cast<double>(denominator);
    if (std::abs(numerator - std::round(numerator)) < 1e-12)
      return Rational::of(std::llround(numerator), denominator);
  }
  constexpr std::int64_t kDenominator = std::int64_t{1} << 30;
  return Rational::of(std::llround(value * static_cast<double>(kDenominator)), kDenominator);
}

Expression growth_expression(const statistics::GrowthModel& model, std::span<const Expression> arguments) {
  Expression sum;
  if (model.hypotheses.empty()) return sum;
  for (const statistics::GrowthTerm& term : model.hypotheses.front().terms) {
    Expression product = symbolic::real(term.coefficient);
    for (std::size_t j = 0; j < arguments.size() && j < term.exponents.size(); ++j) {
      if (term.exponents[j] != 0)
        product = product * power_of_extent(arguments[j], nearest_fraction(term.exponents[j]));
      if (term.log_powers[j] != 0)
        product = product * power(log2(max(arguments[j], Expression(1))), Rational(term.log_powers[j]));
    }
    sum = sum + product;
  }
  return sum;
}

Expression expected_largest(const Expression& count) {
  constexpr dependence::ExtremeCoefficients k;
  const Expression l = log2(count);
  const Expression root = power(l, Rational::of(1, 2));
  const auto number = [](double value) { return symbolic::real(value); };
  return l * (number(k.a) + number(k.b) * l) /
         (Expression(1) + number(k.c) * root + number(k.d) * l + number(k.f) * l * root);
}

}  // namespace parcast::predict
