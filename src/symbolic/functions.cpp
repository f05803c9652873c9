// SPDX-License-Identifier: Apache-2.0
// Canonical floor, ceil, modulo, minimum, maximum, log2 and conditional.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "symbolic/build.h"
#include "symbolic/kernel.h"

namespace parcast::symbolic {

std::pair<Expression, Expression> split_whole(const Expression& a) {
  std::vector<Expression> whole, rest;
  for (const Expression& term : terms_of(a)) {
    if (term.is_constant()) {
      whole.emplace_back(term.constant().floor());
      if (const auto fraction = subtract(term.constant(), Rational(term.constant().floor())))
        rest.emplace_back(*fraction);
    } else {
      (is_whole(term) ? whole : rest).push_back(term);
    }
  }
  return {make_sum(rest), make_sum(whole)};
}

namespace {

// Returns a product of powers that removes negative integer powers from every term; 1 if there are none.
Expression common_denominator(const Expression& sum) {
  std::vector<Expression> denominators;
  for (const Expression& term : terms_of(sum)) {
    for (const Expression& factor : symbolic_factors(term)) {
      const auto [base, exponent] = base_and_exponent(factor);
      if (exponent.sign() >= 0 || !exponent.is_integer() || base.is_number()) continue;
      const auto known = std::ranges::find_if(
          denominators, [&base = base](const Expression& d) { return base_and_exponent(d).first == base; });
      const Expression denominator = power(factor, -1);
      if (known == denominators.end()) {
        denominators.push_back(denominator);
      } else if (base_and_exponent(*known).second < base_and_exponent(denominator).second) {
        *known = denominator;
      }
    }
  }
  return make_product(denominators);
}

constexpr int kMostRounds = 8;

}  // namespace

Expression over_common_denominator(const Expression& a) {
  Expression numerator = a, denominator = 1;
  // Multiplying out may reveal denominators that were inside sums.
  for (int round = 0; round < kMostRounds && numerator.operation() == Operation::sum; ++round) {
    const Expression common = common_denominator(numerator);
    if (common == Expression(1)) break;
    std::vector<Expression> terms;
    for (const Expression& term : numerator.operands()) terms.push_back(term * common);
    numerator = expand(make_sum(terms));
    denominator = denominator * common;
  }
  return numerator / denominator;
}

namespace {

// Returns floor or ceil of an argument: integer terms are moved outside, and the rest has one denominator and
// a positive leading coefficient.
Expression rounded(Operation operation, const Expression& a) {
  const auto [rest, whole] = split_whole(expand(a));
  const bool down = operation == Operation::floor;
  if (rest.is_constant()) return whole + Expression(down ? rest.constant().floor() : rest.constant().ceil());
  if (rest.is_number()) return whole + real(down ? std::floor(rest.number()) : std::ceil(rest.number()));
  const Expression argument = over_common_denominator(rest);
  if (is_whole(argument)) return whole + argument;
  if (leading_sign(argument) < 0) return whole - rounded(down ? Operation::ceil : Operation::floor, -rest);
  return whole + Factory::node(operation, {argument});
}

std::optional<Rational> exact_modulo(const Rational& a, const Rational& b) {
  const std::optional<Rational> quotient = divide(a, b);
  const std::optional<Rational> part = quotient ? multiply(b, Rational(quotient->floor())) : std::nullopt;
  return part ? subtract(a, *part) : std::nullopt;
}

std::optional<Expression> modulo_of_numbers(const Expression& a, const Expression& b) {
  if (a.is_constant() && b.is_constant()) {
    const std::optional<Rational> exact = exact_modulo(a.constant(), b.constant());
    return exact ? std::optional(Expression(*exact)) : std::nullopt;
  }
  const double value = kernel::modulo(a.number(), b.number());
  return std::isfinite(value) ? std::optional(real(value)) : std::nullopt;
}

}  // namespace

Expression floor(const Expression& a) {
  return rounded(Operation::floor, a);
}
Expression ceil(const Expression& a) {
  return rounded(Operation::ceil, a);
}

Expression modulo(const Expression& a, const Expression& b) {
  if (b.is_zero()) return undefined();
  const Expression inverse = power(b, -1);
  if (is_whole(a * inverse)) return Expression(0);
  std::vector<Expression> rest;
  const Expression expanded = expand(a);
  for (const Expression& term : terms_of(expanded)) {
    // an integer multiple of b
    if (is_whole(term * inverse)) continue;
    std::optional<Expression> reduced;
    if (term.is_number() && b.is_number()) reduced = modulo_of_numbers(term, b);
    rest.push_back(reduced.value_or(term));
  }
  const Expression remaining = make_sum(rest);
  if (remaining.is_zero()) return Expression(0);
  if (remaining.is_number() && b.is_number()) {
    if (const auto value = modulo_of_numbers(remaining, b)) return *value;
  }
  return Factory::node(Operation::modulo, {remaining, b});
}

namespace {

constexpr std::size_t kComparedOperands = 16;

// Returns whether b never determines the extremum when a is an operand.
bool dominates(Operation operation, const Expression& a, const Expression& b) {
  return is_nonnegative(operation == Operation::minimum ? b - a : a - b);
}

std::vector<Expression> without_dominated(Operation operation, std::vector<Expression> operands) {
  if (operands.size() > kComparedOperands) return operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = operands.size(); j-- > 0;) {
      if (i == j || !dominates(operation, operands[i], operands[j])) continue;
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
      if (j < i) --i;
    }
  }
  return operands;
}

Expression extremum(Operation operation, std::span<const Expression> operands) {
  std::vector<Expression> flat;
  for (const Expression& operand : operands) {
    const bool nested = operand.operation() == operation;
    const std::span<const Expression> inner = nested ? operand.operands() : std::span(&operand, 1);
    flat.insert(flat.end(), inner.begin(), inner.end());
  }
  std::ranges::sort(flat, [](const Expression& a, const Expression& b) { return a < b; });
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  flat = without_dominated(operation, std::move(flat));
  return flat.size() == 1 ? flat[0] : Factory::node(operation, std::move(flat));
}

// Returns the exponent k of the factor 2^k in |c|.
std::int64_t binary_exponent(const Number& c) {
  if (c.is_real() || c.is_zero()) return 0;
  const auto bits = [](std::int64_t n) { return std::countr_zero(static_cast<std::uint64_t>(n)); };
  return bits(c.exact().numerator()) - bits(c.exact().denominator());
}

Expression without_binary_exponent(const Expression& a, std::int64_t exponent) {
  const std::optional<Rational> scale = power(Rational(2), -exponent);
  return scale ? scaled(*scale, a) : a;
}

Expression log2_node(const Expression& a) {
  return Factory::node(Operation::log2, {a});
}

Expression log2_of_number(const Number& a) {
  if (a.is_real()) {
    const double value = std::log2(a.to_double());
    return a.sign() > 0 ? real(value) : log2_node(Factory::number(a));
  }
  const std::int64_t exponent = binary_exponent(a);
  const std::optional<Rational> odd =
      multiply(a.exact(), power(Rational(2), -exponent).value_or(Rational(1)));
  if (!odd || a.sign() <= 0) return log2_node(Factory::number(a));
  return Expression(exponent) + (*odd == Rational(1) ? Expression(0) : log2_node(Expression(*odd)));
}

Expression log2_of_power(const Expression& a) {
  const auto [base, exponent] = base_and_exponent(a);
  const bool even = exponent.is_integer() && exponent.numerator() % 2 == 0;
  if ((even && !is_positive(base)) || base.is_zero()) return log2_node(a);
  return Expression(exponent) * log2(base);
}

Expression log2_of_product(const Expression& a) {
  std::vector<Expression> terms, rest;
  for (const Expression& factor : symbolic_factors(a)) {
    if (is_positive(factor)) {
      terms.push_back(log2(factor));
    } else {
      rest.push_back(factor);
    }
  }
  const std::int64_t exponent = binary_exponent(coefficient_of(a));
  terms.emplace_back(exponent);
  rest.push_back(without_binary_exponent(Factory::number(coefficient_of(a)), exponent));
  const Expression left = make_product(rest);
  if (left == a) return log2_node(a);
  terms.push_back(log2(left));
  return make_sum(terms);
}

}  // namespace

Expression minimum_of(std::span<const Expression> operands) {
  return extremum(Operation::minimum, operands);
}
Expression maximum_of(std::span<const Expression> operands) {
  return extremum(Operation::maximum, operands);
}
Expression min(const Expression& a, const Expression& b) {
  return minimum_of(std::array{a, b});
}
Expression max(const Expression& a, const Expression& b) {
  return maximum_of(std::array{a, b});
}

Expression log2(const Expression& a) {
  if (a.is_number()) return log2_of_number(number_of(a));
  if (a.operation() == Operation::power) return log2_of_power(a);
  if (a.operation() == Operation::product) return log2_of_product(a);
  if (a.operation() == Operation::sum) {
    const std::int64_t exponent = binary_exponent(split_content(a).first);
    const Expression rest = exponent == 0 ? a : without_binary_exponent(a, exponent);
    if (rest.operation() == Operation::sum && rest != a) return Expression(exponent) + log2_node(rest);
  }
  return log2_node(a);
}

namespace {

// Returns the condition divided by its positive factors.
Expression sign_only(const Expression& condition) {
  if (condition.operation() == Operation::sum) {
    const auto [content, primitive] = split_content(condition);
    return content.sign() < 0 ? -primitive : primitive;
  }
  std::vector<Expression> factors{Expression(coefficient_of(condition).sign())};
  for (const Expression& factor : symbolic_factors(condition)) {
    if (!is_positive(factor)) factors.push_back(factor);
  }
  return make_product(factors);
}

const Expression& decided(const Expression& branch, const Expression& condition, std::size_t taken) {
  const bool same = branch.operation() == Operation::conditional && branch.operands()[0] == condition;
  return same ? branch.operands()[taken] : branch;
}

}  // namespace

Expression conditional(const Expression& condition, const Expression& then, const Expression& otherwise) {
  if (condition.is_number()) return number_of(condition).sign() >= 0 ? then : otherwise;
  const Expression sign = sign_only(condition);
  if (is_nonnegative(sign)) return then;
  if (is_positive(-sign)) return otherwise;
  const Expression& yes = decided(then, sign, 1);
  const Expression& no = decided(otherwise, sign, 2);
  if (yes == no) return yes;
  return Factory::node(Operation::conditional, {sign, yes, no});
}

}  // namespace parcast::symbolic
