// SPDX-License-Identifier: Apache-2.0
// Multiplies out products of sums.

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "symbolic/build.h"

namespace parcast::symbolic {

namespace {

constexpr double kMostTerms = 100'000;

bool is_power_of_sum(const Expression& factor) {
  const auto [base, exponent] = base_and_exponent(factor);
  return base.operation() == Operation::sum && exponent.is_integer() && exponent.sign() > 0;
}

bool is_expandable(const Expression& a) {
  return a.operation() != Operation::sum && std::ranges::any_of(symbolic_factors(a), is_power_of_sum);
}

// Number of terms of (t1 + ... + tk)^n: binomial(n + k - 1, n).
double term_estimate(const Expression& factor) {
  if (!is_power_of_sum(factor)) return 1;
  const auto [base, exponent] = base_and_exponent(factor);
  const auto terms = static_cast<double>(base.operands().size());
  const double n = exponent.to_double();
  double count = 1;
  for (double i = 1; i < terms && count <= kMostTerms; ++i) count *= (n + i) / i;
  return count;
}

Expression multiply_terms(const Expression& a, const Expression& b) {
  std::vector<Expression> terms;
  for (const Expression& x : terms_of(a)) {
    for (const Expression& y : terms_of(b)) terms.push_back(make_product(std::array{x, y}));
  }
  return make_sum(terms);
}

Expression multiply_out(const Expression& a) {
  double estimate = 1;
  for (const Expression& factor : symbolic_factors(a)) estimate *= term_estimate(factor);
  if (estimate > kMostTerms) return a;
  std::vector<Expression> rest{Factory::number(coefficient_of(a))}, sums;
  for (const Expression& factor : symbolic_factors(a))
    (is_power_of_sum(factor) ? sums : rest).push_back(factor);
  Expression result = make_product(rest);
  for (const Expression& factor : sums) {
    const auto [base, exponent] = base_and_exponent(factor);
    for (std::int64_t i = 0; i < exponent.numerator(); ++i) result = multiply_terms(result, base);
  }
  return result;
}

// Products of factors may have become powers of sums, as in (a+b)^(1/2) * (a+b)^(3/2).
Expression multiply_out_terms(const Expression& a) {
  if (std::ranges::none_of(terms_of(a), is_expandable)) return a;
  std::vector<Expression> terms;
  for (const Expression& term : terms_of(a)) terms.push_back(is_expandable(term) ? multiply_out(term) : term);
  const Expression result = make_sum(terms);
  return result == a ? a : multiply_out_terms(result);
}

class Expander {
 public:
  Expression operator()(const Expression& a) {
    if (a.operands().empty()) return a;
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    Expression result = multiply_out_terms(in_operands(a));
    done_.emplace(a.node(), result);
    return result;
  }

 private:
  Expression in_operands(const Expression& a) {
    std::vector<Expression> operands;
    // The body of a series was expanded when the series was made.
    const std::size_t untouched = a.operation() == Operation::series ? 3 : a.operands().size();
    for (std::size_t i = 0; i < a.operands().size(); ++i) {
      operands.push_back(i < untouched ? (*this)(a.operands()[i]) : a.operands()[i]);
    }
    return rebuild(a, operands);
  }

  std::unordered_map<const Node*, Expression> done_;
};

}  // namespace

Expression expand(const Expression& a) {
  return Expander()(a);
}

}  // namespace parcast::symbolic
