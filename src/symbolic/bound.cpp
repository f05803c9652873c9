// SPDX-License-Identifier: Apache-2.0
// Bounds of an expression from bounds of its symbols, and proofs of signs based on them.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

#include "symbolic/build.h"
#include "symbolic/interval.h"
#include "symbolic/lowering.h"

namespace parcast::symbolic {

namespace {

using interval::Range;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A series with known bounds and at most this many terms is bounded term by term.
constexpr double kTermByTerm = 256;

double count_between(double first, double last, double if_unknown) {
  const double count = std::floor(last) - std::ceil(first) + 1;
  return std::isnan(count) ? if_unknown : std::max(0.0, count);
}

class Bounder {
 public:
  using Domain = std::function<Interval(const Expression& symbol)>;
  explicit Bounder(Domain domain) : domain_(std::move(domain)) {}

  Range bound(const Expression& a) {
    if (const auto known = known_.find(a.node()); known != known_.end()) return known->second.second;
    const Range range = compute(a);
    if (node_of(a).loose == 0) known_.emplace(a.node(), std::pair(a, range));
    return range;
  }

 private:
  Range compute(const Expression& a) {
    switch (a.operation()) {
      case Operation::constant:
      case Operation::real:
        return interval::point(number_of(a));
      case Operation::symbol:
        return bound_symbol(a);
      case Operation::sum:
        return bound_sum(a);
      case Operation::product:
        return bound_product(a);
      case Operation::minimum:
        return fold(a, interval::minimum);
      case Operation::maximum:
        return fold(a, interval::maximum);
      case Operation::power: {
        const Range base = bound(a.operands()[0]);
        return base ? interval::power(*base, a.operands()[1].constant()) : std::nullopt;
      }
      case Operation::floor:
      case Operation::ceil: {
        const Range inner = bound(a.operands()[0]);
        if (!inner) return std::nullopt;
        return a.operation() == Operation::floor ? interval::floor(*inner) : interval::ceil(*inner);
      }
      case Operation::log2: {
        const Range inner = bound(a.operands()[0]);
        return inner ? interval::log2(*inner) : std::nullopt;
      }
      case Operation::modulo: {
        const Range left = bound(a.operands()[0]), right = bound(a.operands()[1]);
        return left && right ? interval::modulo(*left, *right) : std::nullopt;
      }
      case Operation::conditional:
        return bound_conditional(a);
      case Operation::series:
        return bound_series(a);
    }
    return std::nullopt;
  }

  Range bound_symbol(const Expression& a) {
    if (const auto index = indices_.find(a.node()); index != indices_.end()) return index->second;
    return domain_(a);
  }

  Range fold(const Expression& a, Interval (*combine)(const Interval&, const Interval&)) {
    Range result = bound(a.operands()[0]);
    for (const Expression& operand : a.operands().subspan(1)) {
      const Range next = bound(operand);
      if (!result || !next) return std::nullopt;
      result = combine(*result, *next);
    }
    return result;
  }

  // Uses integer coefficients over one divisor, as evaluation does, so the bound is exact where the result
  // is.
  Range bound_sum(const Expression& a) {
    const ScaledCoefficients scaled = scaled_coefficients(a);
    if (scaled.divisor == 1) return fold(a, interval::add);
    Range total = Interval{scaled.constant, scaled.constant};
    for (std::size_t i = 0; i < scaled.terms.size(); ++i) {
      const Range term = bound(without_coefficient(a.operands()[i]));
      if (!term) return std::nullopt;
      total = interval::add(*total, interval::multiply(*term, {scaled.terms[i], scaled.terms[i]}));
    }
    return interval::divide(*total, {scaled.divisor, scaled.divisor});
  }

  Range bound_product(const Expression& a) {
    const Number& coefficient = coefficient_of(a);
    const bool exact = !coefficient.is_real();
    Range above = interval::point(exact ? Number(Rational(coefficient.exact().numerator())) : coefficient);
    Range below = interval::point(exact ? Rational(coefficient.exact().denominator()) : Rational(1));
    for (const Expression& factor : symbolic_factors(a)) {
      const bool inverted = base_and_exponent(factor).second.sign() < 0;
      const Range range = bound(inverted ? power(factor, -1) : factor);
      if (!range) return std::nullopt;
      Range& side = inverted ? below : above;
      side = interval::multiply(*side, *range);
    }
    return interval::divide(*above, *below);
  }

  Range bound_conditional(const Expression& a) {
    const Range condition = bound(a.operands()[0]);
    if (!condition) return std::nullopt;
    if (condition->low >= 0) return bound(a.operands()[1]);
    if (condition->high < 0) return bound(a.operands()[2]);
    const Range then = bound(a.operands()[1]), otherwise = bound(a.operands()[2]);
    return then && otherwise ? interval::hull(*then, *otherwise) : then ? then : otherwise;
  }

  Range bound_body(const Expression& series, const Interval& index) {
    indices_[series.operands()[0].node()] = index;
    const Range body = bound(series.operands()[3]);
    indices_.erase(series.operands()[0].node());
    return body;
  }

  Range bound_series(const Expression& a) {
    const Range first = bound(a.operands()[1]), last = bound(a.operands()[2]);
    if (!first || !last) return std::nullopt;
    const double most = count_between(first->low, last->high, kInfinity);
    const double least = count_between(first->high, last->low, 0);
    if (most == 0) return Interval{0, 0};
    const bool known = first->low == first->high && last->low == last->high;
    if (known && most <= kTermByTerm) return term_by_term(a, std::ceil(first->low), most);
    const Range body = bound_body(a, {std::ceil(first->low), std::floor(last->high)});
    if (!body) return least == 0 ? Range(Interval{0, 0}) : std::nullopt;
    return interval::multiply({least, most}, *body);
  }

  Range term_by_term(const Expression& a, double first, double count) {
    Interval total{0, 0};
    for (double k = first; k < first + count; ++k) {
      const Range term = bound_body(a, {k, k});
      if (!term) return std::nullopt;
      total = interval::add(total, *term);
    }
    return total;
  }

  Domain domain_;
  // keeps the expressions alive, so that no address is reused
  std::unordered_map<const Node*, std::pair<Expression, Range>> known_;
  std::unordered_map<const Node*, Interval> indices_;
};

Interval domain_of_kind(const Expression& symbol) {
  switch (symbol.kind()) {
    case SymbolKind::rank:
      return {0, kInfinity};
    case SymbolKind::processes:
      return {1, kInfinity};
    default:
      return interval::whole_line();
  }
}

Range bound_by_kind(const Expression& a) {
  return check_nesting(a) ? Bounder(domain_of_kind).bound(a) : interval::whole_line();
}

}  // namespace

bool is_nonnegative(const Expression& a) {
  if (a.is_number()) return number_of(a).sign() >= 0;
  const Range range = bound_by_kind(a);
  return range && range->low >= 0;
}

bool is_positive(const Expression& a) {
  if (a.is_number()) return number_of(a).sign() > 0;
  // 1/p has no positive lower bound, but is positive.
  if (a.operation() == Operation::power && is_positive(a.operands()[0])) return true;
  if (a.operation() == Operation::product && std::ranges::all_of(a.operands(), is_positive)) return true;
  const Range range = bound_by_kind(a);
  return range && range->low > 0;
}

Result<Interval> bound(const Expression& a, const std::map<std::string, Interval, std::less<>>& within) {
  PARCAST_TRY(check_nesting(a));
  for (const Expression& symbol : free_symbols(a)) {
    const auto found = within.find(symbol.name());
    if (found == within.end()) {
      return Error{"symbol '" + symbol.name() + "' has no interval", "",
                   "give its smallest and largest value"};
    }
    if (!(found->second.low <= found->second.high)) {
      return Error{"the interval of symbol '" + symbol.name() + "' is empty", "",
                   "its low end must not exceed its high end"};
    }
  }
  const Range range =
      Bounder([&](const Expression& symbol) { return within.find(symbol.name())->second; }).bound(a);
  if (!range)
    return Error{"'" + to_text(a) + "' has no value anywhere in the given intervals", "", "widen them"};
  return *range;
}

}  // namespace parcast::symbolic
