// SPDX-License-Identifier: Apache-2.0
// Canonical products and powers.

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "symbolic/build.h"

namespace parcast::symbolic {

namespace {

class ProductCollector {
 public:
  void add(const Expression& factor) {
    if (factor.is_number()) {
      coefficient_ = multiply(coefficient_, number_of(factor));
    } else if (factor.operation() == Operation::product) {
      for (const Expression& inner : factor.operands()) add(inner);
    } else {
      const auto [base, exponent] = base_and_exponent(factor);
      const bool has_content = base.operation() == Operation::sum && exponent.is_integer();
      const Expression primitive = has_content ? take_content(base, exponent) : base;
      add(primitive, exponent, primitive == base ? factor : power(primitive, exponent));
    }
  }

  /// Returns powers of different bases. After merged() they may be any expressions.
  std::vector<Expression> factors() const {
    std::vector<Expression> out;
    for (const Factor& factor : factors_)
      out.push_back(factor.merged ? power(factor.base, factor.exponent) : factor.whole);
    return out;
  }

  const Number& coefficient() const { return coefficient_; }
  bool has(const Expression& factor) const { return index_.contains(base_and_exponent(factor).first.node()); }
  bool merged() const { return std::ranges::any_of(factors_, &Factor::merged); }

 private:
  struct Factor {
    Expression base;
    Rational exponent;
    Expression whole;
    bool merged = false;
  };

  Expression take_content(const Expression& sum, const Rational& exponent) {
    const auto [content, primitive] = split_content(sum);
    const std::optional<Number> number = folded_power(content, exponent);
    if (!number) return sum;
    coefficient_ = multiply(coefficient_, *number);
    return primitive;
  }

  void add(const Expression& base, const Rational& exponent, const Expression& whole) {
    const auto [place, fresh] = index_.try_emplace(base.node(), factors_.size());
    if (!fresh) {
      Factor& known = factors_[place->second];
      if (const auto sum = symbolic::add(known.exponent, exponent)) {
        known.exponent = *sum;
        known.merged = true;
        return;
      }
    }
    factors_.push_back({base, exponent, whole});
  }

  Number coefficient_ = 1;
  std::vector<Factor> factors_;
  std::unordered_map<const Node*, std::size_t> index_;
};

}  // namespace

Expression make_product(std::span<const Expression> factors) {
  ProductCollector collector;
  for (const Expression& factor : factors) collector.add(factor);
  const Number& coefficient = collector.coefficient();
  if (coefficient.is_zero()) return collector.has(undefined()) ? undefined() : Expression(0);
  if (coefficient.is_real() && std::isnan(coefficient.to_double())) return undefined();
  std::vector<Expression> out = collector.factors();
  if (collector.merged()) {
    // Collected powers may have become numbers, products, or powers of other bases, so collect again.
    if (!coefficient.is_one()) out.push_back(Factory::number(coefficient));
    return make_product(out);
  }
  if (out.empty()) return Factory::number(coefficient);
  if (out.size() == 1 && out[0].operation() == Operation::sum) {
    if (coefficient.is_one()) return out[0];
    if (const std::optional<Expression> sum = distributed(coefficient, out[0])) return *sum;
  }
  if (coefficient.is_one() && out.size() == 1) return out[0];
  std::ranges::sort(out, [](const Expression& a, const Expression& b) { return a < b; });
  if (!coefficient.is_one()) out.insert(out.begin(), Factory::number(coefficient));
  return Factory::node(Operation::product, std::move(out));
}

namespace {

Expression power_node(const Expression& base, const Rational& exponent) {
  if (exponent == Rational(1)) return base;
  return Factory::node(Operation::power, {base, Expression(exponent)});
}

// Finds base = root^degree with the largest degree.
std::pair<std::int64_t, std::int64_t> perfect_power(std::int64_t base) {
  for (std::int64_t degree = 62; degree > 1; --degree) {
    const std::optional<Rational> root = exact_root(Rational(base), degree);
    if (root && root->numerator() > 1) return {root->numerator(), degree};
  }
  return {base, 1};
}

// Returns base^exponent for an integer base > 1 and a fractional exponent: number * root^fraction, 0 <
// fraction < 1.
Expression surd(std::int64_t base, const Rational& exponent) {
  const auto [root, degree] = perfect_power(base);
  const std::optional<Rational> full = multiply(exponent, Rational(degree));
  if (!full) return power_node(Expression(base), exponent);
  const std::optional<Rational> number = power(Rational(root), full->floor());
  const std::optional<Rational> fraction = subtract(*full, Rational(full->floor()));
  if (!number || !fraction) return power_node(Expression(root), *full);
  if (*fraction == Rational(0)) return Expression(*number);
  return scaled(*number, power_node(Expression(root), *fraction));
}

Expression power_of_number(const Number& base, const Rational& exponent) {
  if (base.is_zero()) return exponent.sign() > 0 ? Expression(0) : undefined();
  if (base.is_one()) return Expression(1);
  if (const std::optional<Number> value = folded_power(base, exponent)) return Factory::number(*value);
  if (base.is_real() || base.sign() < 0 || exponent.is_integer())
    return power_node(Factory::number(base), exponent);
  const std::optional<Rational> opposite = negate(exponent);
  if (!opposite) return power_node(Factory::number(base), exponent);
  const std::int64_t numerator = base.exact().numerator(), denominator = base.exact().denominator();
  const Expression above = numerator == 1 ? Expression(1) : surd(numerator, exponent);
  const Expression below = denominator == 1 ? Expression(1) : surd(denominator, *opposite);
  return make_product(std::array{above, below});
}

Expression power_of_power(const Expression& a, const Rational& exponent) {
  const auto [base, inner] = base_and_exponent(a);
  const bool even = inner.is_integer() && inner.numerator() % 2 == 0;  // (x^2)^(1/2) is |x|
  const std::optional<Rational> combined = multiply(inner, exponent);
  if (!combined || (even && !exponent.is_integer() && !is_nonnegative(base))) return power_node(a, exponent);
  return power(base, *combined);
}

// Returns content^exponent * rest^exponent if content > 0 has an exact power, so that exact roots are found.
Expression pull_number(const Number& content, const Expression& rest, const Expression& whole,
                       const Rational& exponent) {
  if (content.is_one() || (content.is_real() && !exponent.is_integer())) return power_node(whole, exponent);
  const std::optional<Number> number = folded_power(content, exponent);
  return number ? make_product(std::array{Factory::number(*number), power(rest, exponent)})
                : power_node(whole, exponent);
}

Number magnitude(const Number& a) {
  return a.sign() < 0 ? negate(a) : a;
}

Expression power_of_product(const Expression& a, const Rational& exponent) {
  if (!exponent.is_integer()) {
    const Number content = magnitude(coefficient_of(a));
    if (content.is_one()) return power_node(a, exponent);
    const Expression rest = scaled(coefficient_of(a).sign(), without_coefficient(a));
    return pull_number(content, rest, a, exponent);
  }
  std::vector<Expression> factors;
  for (const Expression& factor : a.operands()) factors.push_back(power(factor, exponent));
  return make_product(factors);
}

Expression power_of_sum(const Expression& a, const Rational& exponent) {
  auto [content, primitive] = split_content(a);
  if (!exponent.is_integer() && content.sign() < 0) {
    content = negate(content);
    primitive = -primitive;
  }
  return pull_number(content, primitive, a, exponent);
}

}  // namespace

Expression power(const Expression& base, const Rational& exponent) {
  if (exponent == Rational(0)) return Expression(1);
  if (exponent == Rational(1)) return base;
  switch (base.operation()) {
    case Operation::constant:
    case Operation::real:
      return power_of_number(number_of(base), exponent);
    case Operation::power:
      return power_of_power(base, exponent);
    case Operation::product:
      return power_of_product(base, exponent);
    case Operation::sum:
      return power_of_sum(base, exponent);
    default:
      return power_node(base, exponent);
  }
}

}  // namespace parcast::symbolic
