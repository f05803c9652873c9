// SPDX-License-Identifier: Apache-2.0
#include "symbolic/factor.h"

#include <algorithm>
#include <map>
#include <vector>

#include "symbolic/build.h"

namespace parcast::symbolic {
namespace {

using Exponents = std::map<Expression, Rational>;  // by base

Exponents exponents_of(const Expression& a) {
  Exponents out;
  for (const Expression& factor : symbolic_factors(a)) {
    if (factor.is_number()) continue;
    const auto [base, exponent] = base_and_exponent(factor);
    out.emplace(base, exponent);
  }
  return out;
}

/// Returns the factors with positive exponents that all terms share.
Exponents common_factors(std::span<const Expression> terms) {
  Exponents common = exponents_of(terms[0]);
  for (const Expression& term : terms.subspan(1)) {
    const Exponents other = exponents_of(term);
    Exponents both;
    for (const auto& [base, exponent] : common)
      if (const auto at = other.find(base); at != other.end())
        both.emplace(base, std::min(exponent, at->second));
    common = std::move(both);
  }
  std::erase_if(common, [](const auto& entry) { return entry.second.sign() <= 0; });
  return common;
}

Expression product_of(const Exponents& factors) {
  std::vector<Expression> all;
  for (const auto& [base, exponent] : factors) all.push_back(power(base, exponent));
  return make_product(all);
}

/// n^2/2 - n/2 becomes n*(n - 1)/2, but 3*n^2/2 - n/3 is shorter unfactored.
bool have_one_denominator(std::span<const Expression> terms) {
  const auto denominator = [](const Expression& term) {
    const Number& c = coefficient_of(term);
    return c.is_real() ? 0 : c.exact().denominator();
  };
  return std::ranges::all_of(
      terms, [&](const Expression& term) { return denominator(term) == denominator(terms[0]); });
}

Expression factored_sum(const Expression& sum) {
  if (!have_one_denominator(terms_of(sum))) return sum;
  const Exponents common = common_factors(terms_of(sum));
  if (common.empty()) return sum;
  const Expression shared = product_of(common), inverse = power(shared, -1);
  std::vector<Expression> terms;
  for (const Expression& term : terms_of(sum)) terms.push_back(term * inverse);
  return shared * make_sum(terms);
}

}  // namespace

Expression factored(const Expression& a) {
  if (a.operands().empty() || a.operation() == Operation::series) return a;
  std::vector<Expression> operands;
  for (const Expression& operand : a.operands()) operands.push_back(factored(operand));
  const Expression rebuilt = rebuild(a, operands);
  return rebuilt.operation() == Operation::sum ? factored_sum(rebuilt) : rebuilt;
}

std::optional<Expression> quotient(const Expression& a, const Expression& b) {
  if (b.is_zero()) return std::nullopt;
  const auto split = [](const Expression& e) {
    return e.operation() == Operation::sum ? split_content(e) : std::pair(Number(1), e);
  };
  const auto [content, whole] = split(factored(a));
  const auto [less, divisor] = split(factored(b));
  const Exponents has = exponents_of(whole);
  for (const auto& [base, exponent] : exponents_of(divisor)) {
    const auto at = has.find(base);
    if (at == has.end() || at->second < exponent) return std::nullopt;
  }
  return scaled(content, whole * power(divisor, -1)) * power(scaled(less, 1), -1);
}

}  // namespace parcast::symbolic
