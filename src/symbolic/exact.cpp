// SPDX-License-Identifier: Apache-2.0
// Evaluates exactly at one point.

#include <algorithm>
#include <unordered_map>

#include "symbolic/build.h"

namespace parcast::symbolic {

namespace {

constexpr std::int64_t kMostExactTerms = 10'000'000;

Error failure(const std::string& what, const Expression& a) {
  return Error{what, "'" + to_text(a) + "'", ""};
}

Error does_not_fit(const Expression& a) {
  return failure("an exact value does not fit a fraction of 64-bit integers", a);
}

Result<Rational> fitting(const std::optional<Rational>& value, const Expression& a) {
  if (!value) return does_not_fit(a);
  return *value;
}

class ExactEvaluator {
 public:
  explicit ExactEvaluator(const ExactBinding& at) : at_(at) {}

  Result<Rational> value(const Expression& a) {
    if (a.is_constant()) return a.constant();
    if (node_of(a).loose != 0) return compute(a);
    if (const auto found = known_.find(a.node()); found != known_.end()) return found->second;
    Result<Rational> result = compute(a);
    if (result) known_.emplace(a.node(), *result);
    return result;
  }

 private:
  Result<Rational> compute(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    switch (a.operation()) {
      case Operation::constant:
        return a.constant();
      case Operation::real:
        return failure("a real constant has no exact value", a);
      case Operation::symbol:
        return of_symbol(a);
      case Operation::sum:
        return fold(a, [](const Rational& x, const Rational& y) { return add(x, y); });
      case Operation::product:
        return fold(a, [](const Rational& x, const Rational& y) { return multiply(x, y); });
      case Operation::minimum:
        return fold(a, [](const Rational& x, const Rational& y) { return std::optional(std::min(x, y)); });
      case Operation::maximum:
        return fold(a, [](const Rational& x, const Rational& y) { return std::optional(std::max(x, y)); });
      case Operation::power:
        return of_power(a);
      case Operation::floor:
      case Operation::ceil: {
        PARCAST_ASSIGN(const Rational inner, value(o[0]));
        return Rational(a.operation() == Operation::floor ? inner.floor() : inner.ceil());
      }
      case Operation::modulo:
        return of_modulo(a);
      case Operation::log2:
        return of_logarithm(a);
      case Operation::conditional: {
        PARCAST_ASSIGN(const Rational condition, value(o[0]));
        return value(condition.sign() >= 0 ? o[1] : o[2]);
      }
      case Operation::series:
        return of_series(a);
    }
    return does_not_fit(a);
  }

  Result<Rational> of_symbol(const Expression& a) {
    if (const std::uint32_t level = node_of(a).level; level != 0) return indices_[level];
    const auto found = at_.find(a.name());
    if (found == at_.end()) return Error{"symbol '" + a.name() + "' has no value", "", "bind it to a number"};
    return found->second;
  }

  template <class Combine>
  Result<Rational> fold(const Expression& a, Combine combine) {
    PARCAST_ASSIGN(Rational result, value(a.operands()[0]));
    for (const Expression& operand : a.operands().subspan(1)) {
      PARCAST_ASSIGN(const Rational next, value(operand));
      const std::optional<Rational> combined = combine(result, next);
      if (!combined) return does_not_fit(a);
      result = *combined;
    }
    return result;
  }

  Result<Rational> of_power(const Expression& a) {
    const Rational& exponent = a.operands()[1].constant();
    PARCAST_ASSIGN(const Rational base, value(a.operands()[0]));
    if (base.sign() == 0 && exponent.sign() < 0) return failure("division by zero", a);
    if (base.sign() < 0 && !exponent.is_integer())
      return failure("a fractional power of a negative value", a);
    const std::optional<Rational> root =
        exponent.is_integer() ? base : exact_root(base, exponent.denominator());
    if (!root) return failure("an irrational power has no exact value", a);
    return fitting(power(*root, exponent.numerator()), a);
  }

  Result<Rational> of_modulo(const Expression& a) {
    PARCAST_ASSIGN(const Rational left, value(a.operands()[0]));
    PARCAST_ASSIGN(const Rational right, value(a.operands()[1]));
    if (right.sign() == 0) return failure("division by zero", a);
    const std::optional<Rational> quotient = divide(left, right);
    const std::optional<Rational> part =
        quotient ? multiply(right, Rational(quotient->floor())) : std::nullopt;
    return fitting(part ? subtract(left, *part) : std::nullopt, a);
  }

  Result<Rational> of_logarithm(const Expression& a) {
    PARCAST_ASSIGN(const Rational inner, value(a.operands()[0]));
    if (inner.sign() <= 0) return failure("a logarithm of a value that is not positive", a);
    const Expression folded = log2(Expression(inner));
    if (!folded.is_constant()) return failure("an irrational logarithm has no exact value", a);
    return folded.constant();
  }

  Result<Rational> of_series(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    PARCAST_ASSIGN(const Rational first, value(o[1]));
    PARCAST_ASSIGN(const Rational last, value(o[2]));
    const std::int64_t begin = first.ceil(), end = last.floor();
    const std::optional<Rational> extent = subtract(Rational(end), Rational(begin));
    if (end >= begin && (!extent || extent->numerator() >= kMostExactTerms))
      return failure("a series of too many terms", a);
    Rational total;
    for (std::int64_t i = 0; end >= begin && i <= extent->numerator(); ++i) {
      indices_[node_of(o[0]).level] = Rational(begin + i);
      PARCAST_ASSIGN(const Rational term, value(o[3]));
      const std::optional<Rational> next = add(total, term);
      if (!next) return does_not_fit(a);
      total = *next;
    }
    return total;
  }

  const ExactBinding& at_;
  std::unordered_map<const Node*, Rational> known_;
  std::unordered_map<std::uint32_t, Rational> indices_;
};

}  // namespace

Result<Rational> evaluate_exactly(const Expression& a, const ExactBinding& at) {
  PARCAST_TRY(check_nesting(a));
  return ExactEvaluator(at).value(a);
}

}  // namespace parcast::symbolic
