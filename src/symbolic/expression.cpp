// SPDX-License-Identifier: Apache-2.0
#include "symbolic/expression.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <unordered_set>

#include "symbolic/build.h"
#include "symbolic/node.h"

namespace parcast::symbolic {

namespace {

const Expression& zero() {
  static const auto* const value = new Expression(Factory::number(0));  // never destroyed
  return *value;
}

}  // namespace

Expression::Expression() : Expression(zero()) {}
Expression::Expression(Rational value) : Expression(Factory::number(value)) {}
Expression::Expression(std::int64_t value) : Expression(Rational(value)) {}

Operation Expression::operation() const {
  return node_->operation;
}
std::span<const Expression> Expression::operands() const {
  return node_->operands;
}
const Rational& Expression::constant() const {
  return assert(is_constant()), node_->number.exact();
}
double Expression::number() const {
  return assert(is_number()), node_->number.to_double();
}
const std::string& Expression::name() const {
  return node_->name;
}
SymbolKind Expression::kind() const {
  return node_->kind;
}
bool Expression::is_zero() const {
  return is_constant() && constant() == Rational(0);
}

Expression symbol(std::string_view name, SymbolKind kind) {
  Node node;
  node.operation = Operation::symbol;
  node.kind = kind;
  node.name = name;
  return Factory::intern(std::move(node));
}

Expression real(double value) {
  return Factory::number(Number::real(value));
}

Expression undefined() {
  static const auto* const value =
      new Expression(Factory::node(Operation::power, {Expression(0), Expression(-1)}));  // never destroyed
  return *value;
}

Expression operator+(const Expression& a, const Expression& b) {
  return make_sum(std::array{a, b});
}
Expression operator-(const Expression& a, const Expression& b) {
  return make_sum(std::array{a, -b});
}
Expression operator*(const Expression& a, const Expression& b) {
  return make_product(std::array{a, b});
}
Expression operator/(const Expression& a, const Expression& b) {
  return make_product(std::array{a, power(b, -1)});
}
Expression operator-(const Expression& a) {
  return scaled(-1, a);
}
Expression sum_of(std::span<const Expression> terms) {
  return make_sum(terms);
}
Expression product_of(std::span<const Expression> factors) {
  return make_product(factors);
}

const Number& coefficient_of(const Expression& a) {
  static const Number kOne = 1;
  return a.operation() == Operation::product && a.operands()[0].is_number() ? number_of(a.operands()[0])
                                                                            : kOne;
}

std::span<const Expression> symbolic_factors(const Expression& a) {
  if (a.operation() != Operation::product) return {&a, 1};
  return a.operands().subspan(a.operands()[0].is_number() ? 1 : 0);
}

Expression without_coefficient(const Expression& a) {
  const std::span<const Expression> factors = symbolic_factors(a);
  if (a.operation() != Operation::product || factors.size() == a.operands().size()) return a;
  if (factors.size() == 1) return factors[0];
  return Factory::node(Operation::product, {factors.begin(), factors.end()});
}

std::span<const Expression> terms_of(const Expression& a) {
  return a.operation() == Operation::sum ? a.operands() : std::span<const Expression>(&a, 1);
}

std::pair<Expression, Rational> base_and_exponent(const Expression& a) {
  if (a.operation() != Operation::power) return {a, 1};
  return {a.operands()[0], a.operands()[1].constant()};
}

int leading_sign(const Expression& a) {
  const Expression& first = terms_of(a)[0];
  return first.is_number() ? number_of(first).sign() : coefficient_of(first).sign();
}

Expression rebuild(const Expression& like, std::span<const Expression> operands) {
  if (std::ranges::equal(like.operands(), operands)) return like;
  switch (like.operation()) {
    case Operation::constant:
    case Operation::real:
    case Operation::symbol:
      return like;
    case Operation::sum:
      return make_sum(operands);
    case Operation::product:
      return make_product(operands);
    case Operation::power:
      return power(operands[0], operands[1].constant());
    case Operation::floor:
      return floor(operands[0]);
    case Operation::ceil:
      return ceil(operands[0]);
    case Operation::modulo:
      return modulo(operands[0], operands[1]);
    case Operation::minimum:
      return minimum_of(operands);
    case Operation::maximum:
      return maximum_of(operands);
    case Operation::log2:
      return log2(operands[0]);
    case Operation::conditional:
      return conditional(operands[0], operands[1], operands[2]);
    case Operation::series:
      return series(operands[0], operands[1], operands[2], operands[3]);
  }
  return like;
}

namespace {

void collect_free_symbols(const Expression& a, std::unordered_set<const Node*>& seen,
                          std::vector<Expression>& out) {
  if (!seen.insert(a.node()).second) return;
  if (a.operation() == Operation::symbol && node_of(a).level == 0) out.push_back(a);
  for (const Expression& operand : a.operands()) collect_free_symbols(operand, seen, out);
}

}  // namespace

std::vector<Expression> free_symbols(const Expression& a) {
  std::unordered_set<const Node*> seen;
  std::vector<Expression> out;
  collect_free_symbols(a, seen, out);
  std::ranges::sort(out, [](const Expression& x, const Expression& y) { return x < y; });
  return out;
}

}  // namespace parcast::symbolic
