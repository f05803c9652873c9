// SPDX-License-Identifier: Apache-2.0
// The total order of expressions. It depends only on structure, so sorted operands, and with them all output,
// are the same in every run. Numbers come first. Products are compared factor by factor, and a single factor
// counts as a product of one. Powers are compared by base, with larger exponents first.

#include "symbolic/build.h"
#include "symbolic/node.h"

namespace parcast::symbolic {

namespace {

using Ordering = std::strong_ordering;

Ordering compare_symbols(const Node& a, const Node& b) {
  if ((a.level == 0) != (b.level == 0)) return a.level <=> b.level;
  if (a.level != b.level) return a.level <=> b.level;
  if (const int c = a.name.compare(b.name); c != 0) return c <=> 0;
  return a.kind <=> b.kind;
}

Ordering compare_operands(std::span<const Expression> a, std::span<const Expression> b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const Ordering c = a[i] <=> b[i]; c != 0) return c;
  }
  return a.size() <=> b.size();
}

// For operands that are neither products nor numbers.
Ordering compare_factors(const Expression& a, const Expression& b) {
  if (a == b) return Ordering::equal;
  const bool is_power_a = a.operation() == Operation::power, is_power_b = b.operation() == Operation::power;
  if (is_power_a || is_power_b) {
    const Expression& base_a = is_power_a ? a.operands()[0] : a;
    const Expression& base_b = is_power_b ? b.operands()[0] : b;
    if (const Ordering c = base_a <=> base_b; c != 0) return c;
    const Rational exponent_a = is_power_a ? a.operands()[1].constant() : Rational(1);
    const Rational exponent_b = is_power_b ? b.operands()[1].constant() : Rational(1);
    return exponent_b <=> exponent_a;
  }
  if (a.operation() != b.operation()) return a.operation() <=> b.operation();
  if (a.operation() == Operation::symbol) return compare_symbols(node_of(a), node_of(b));
  return compare_operands(a.operands(), b.operands());
}

Ordering compare_products(const Expression& a, const Expression& b) {
  const std::span<const Expression> factors_a = symbolic_factors(a), factors_b = symbolic_factors(b);
  for (std::size_t i = 0; i < factors_a.size() && i < factors_b.size(); ++i) {
    if (const Ordering c = compare_factors(factors_a[i], factors_b[i]); c != 0) return c;
  }
  if (factors_a.size() != factors_b.size()) return factors_a.size() <=> factors_b.size();
  return coefficient_of(a) <=> coefficient_of(b);
}

}  // namespace

std::strong_ordering operator<=>(const Expression& a, const Expression& b) {
  if (a == b) return Ordering::equal;
  if (a.is_number() && b.is_number()) return number_of(a) <=> number_of(b);
  if (a.is_number() != b.is_number()) return a.is_number() ? Ordering::less : Ordering::greater;
  return compare_products(a, b);
}

bool term_precedes(const Expression& a, const Expression& b) {
  if (a.is_number() != b.is_number()) return b.is_number();
  const double degree_a = node_of(a).degree, degree_b = node_of(b).degree;
  return degree_a != degree_b ? degree_a > degree_b : a < b;
}

}  // namespace parcast::symbolic
