// SPDX-License-Identifier: Apache-2.0
// Canonical sums, and moving numbers into and out of them.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/checked.h"
#include "symbolic/build.h"

namespace parcast::symbolic {

namespace {

class SumCollector {
 public:
  void add(const Expression& term) {
    if (term.operation() == Operation::sum) {
      for (const Expression& inner : term.operands()) add(inner);
    } else if (term.is_number()) {
      constant_ = symbolic::add(constant_, number_of(term));
    } else {
      add(coefficient_of(term), without_coefficient(term));
    }
  }

  std::vector<Expression> terms() const {
    std::vector<Expression> out;
    for (const auto& [coefficient, rest] : terms_) {
      if (!coefficient.is_zero()) out.push_back(scaled(coefficient, rest));
    }
    return out;
  }

  const Number& constant() const { return constant_; }

 private:
  void add(const Number& coefficient, const Expression& rest) {
    const auto [place, fresh] = index_.try_emplace(rest.node(), terms_.size());
    if (fresh) {
      terms_.emplace_back(coefficient, rest);
    } else {
      Number& known = terms_[place->second].first;
      known = symbolic::add(known, coefficient);
    }
  }

  Number constant_;
  std::vector<std::pair<Number, Expression>> terms_;
  std::unordered_map<const Node*, std::size_t> index_;
};

bool is_not_a_number(const Number& a) {
  return a.is_real() && std::isnan(a.to_double());
}

}  // namespace

Expression make_sum(std::span<const Expression> terms) {
  SumCollector collector;
  for (const Expression& term : terms) collector.add(term);
  std::vector<Expression> out = collector.terms();
  if (!collector.constant().is_zero()) out.push_back(Factory::number(collector.constant()));
  // A coefficient that became 1 or -1 may have turned a product into a sum.
  const bool again =
      std::ranges::any_of(out, [](const Expression& e) { return e.operation() == Operation::sum; });
  if (again) return make_sum(out);
  if (is_not_a_number(collector.constant())) return undefined();
  if (out.empty()) return Expression(0);
  if (out.size() == 1) return out[0];
  std::ranges::sort(out, term_precedes);
  return Factory::node(Operation::sum, std::move(out));
}

namespace {

const Number& number_in(const Expression& term) {
  return term.is_number() ? number_of(term) : coefficient_of(term);
}

bool is_exact_sum(const Expression& sum) {
  return std::ranges::none_of(sum.operands(), [](const Expression& t) { return number_in(t).is_real(); });
}

// Returns the greatest number by which every coefficient is an integer multiple; nothing if it does not fit.
std::optional<Rational> positive_content(const Expression& sum) {
  std::int64_t numerator = 0, denominator = 1;
  for (const Expression& term : sum.operands()) {
    const Rational& c = number_in(term).exact();
    if (c.numerator() == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    numerator = std::gcd(numerator, c.numerator());
    const std::int64_t missing = c.denominator() / std::gcd(denominator, c.denominator());
    const std::optional<std::int64_t> common = checked_multiply(denominator, missing);
    if (!common) return std::nullopt;
    denominator = *common;
  }
  return Rational::make(numerator, denominator);
}

// Returns the products coefficient * term if all of them are exact.
std::optional<std::vector<Expression>> exact_multiples(const Number& factor, const Expression& sum) {
  std::vector<Expression> out;
  const bool only_sign = factor.is_one() || factor.is_minus_one();
  for (const Expression& term : sum.operands()) {
    const Number& c = number_in(term);
    const Number product = multiply(factor, c);
    if (product.is_real() && !(only_sign && c.is_real())) return std::nullopt;
    out.push_back(scaled(factor, term));
  }
  return out;
}

Expression sum_in_same_order(std::vector<Expression> terms) {
  const bool flat =
      std::ranges::none_of(terms, [](const Expression& e) { return e.operation() == Operation::sum; });
  return flat ? Factory::node(Operation::sum, std::move(terms)) : make_sum(terms);
}

}  // namespace

std::pair<Number, Expression> split_content(const Expression& sum) {
  const int sign = leading_sign(sum);
  std::optional<Rational> content = is_exact_sum(sum) ? positive_content(sum) : std::nullopt;
  if (content && sign < 0) content = negate(*content);
  if (!content) content = Rational(sign);
  if (*content == Rational(1)) return {1, sum};
  const std::optional<Rational> inverse = divide(Rational(1), *content);
  if (inverse) {
    if (auto terms = exact_multiples(*inverse, sum)) return {*content, sum_in_same_order(std::move(*terms))};
  }
  return {1, sum};
}

std::optional<Expression> distributed(const Number& factor, const Expression& sum) {
  auto terms = exact_multiples(factor, sum);
  return terms ? std::optional(sum_in_same_order(std::move(*terms))) : std::nullopt;
}

Expression scaled(const Number& factor, const Expression& a) {
  if (factor.is_one()) return a;
  if (factor.is_zero()) return Expression(0);
  if (a.is_number()) return Factory::number(multiply(factor, number_of(a)));
  if (a.operation() == Operation::sum) {
    if (const std::optional<Expression> sum = distributed(factor, a)) return *sum;
    return make_product(std::array{Factory::number(factor), a});
  }
  const Number coefficient = multiply(factor, coefficient_of(a));
  const std::span<const Expression> factors = symbolic_factors(a);
  if (coefficient.is_zero()) return Expression(0);
  if (is_not_a_number(coefficient)) return undefined();
  if (coefficient.is_one()) return without_coefficient(a);
  if (factors.size() == 1 && factors[0].operation() == Operation::sum) {
    return make_product(std::array{Factory::number(coefficient), factors[0]});
  }
  std::vector<Expression> operands{Factory::number(coefficient)};
  operands.insert(operands.end(), factors.begin(), factors.end());
  return Factory::node(Operation::product, std::move(operands));
}

}  // namespace parcast::symbolic
