// SPDX-License-Identifier: Apache-2.0
// Canonical series. A body is expanded and its terms are summed separately: powers of the index by
// Faulhaber's formula; factors that do not depend on the index are moved in front; the rest remains a series.

#include <array>
#include <map>
#include <unordered_map>

#include "symbolic/build.h"

namespace parcast::symbolic {

namespace {

constexpr std::int64_t kLargestDegree = 20;

// B_0, B_1 = 1/2, B_2, ... (Akiyama and Tanigawa's triangle).
std::vector<Rational> bernoulli_numbers() {
  std::vector<Rational> row, out;
  for (std::int64_t m = 0; m <= kLargestDegree; ++m) {
    row.push_back(Rational::of(1, m + 1));
    for (std::int64_t j = m; j > 0; --j) {
      const auto i = static_cast<std::size_t>(j);
      row[i - 1] = multiply(Rational(j), subtract(row[i - 1], row[i]).value()).value();
    }
    out.push_back(row[0]);
  }
  return out;
}

}  // namespace

Expression faulhaber(int degree, const Expression& x) {
  static const std::vector<Rational> kBernoulli = bernoulli_numbers();
  std::vector<Expression> terms;
  Rational binomial = 1;  // binomial(degree + 1, j)
  for (int j = 0; j <= degree; ++j) {
    const Rational coefficient = multiply(binomial, kBernoulli[static_cast<std::size_t>(j)]).value();
    terms.push_back(coefficient * power(x, degree + 1 - j) / Expression(degree + 1));
    binomial = multiply(binomial, Rational::of(degree + 1 - j, j + 1)).value();
  }
  return make_sum(terms);
}

namespace {

struct IndexPower {
  std::int64_t degree = 0;
  Expression coefficient;
};

// Returns the term as coefficient * index^degree, where the coefficient does not contain the index.
std::optional<IndexPower> as_index_power(const Expression& term, const Expression& index) {
  if (!contains(term, index)) return IndexPower{0, term};
  IndexPower out;
  std::vector<Expression> rest;
  if (term.operation() == Operation::product) rest.push_back(Factory::number(coefficient_of(term)));
  for (const Expression& factor : symbolic_factors(term)) {
    const auto [base, exponent] = base_and_exponent(factor);
    if (base == index) {
      if (!exponent.is_integer() || exponent.sign() < 0 || exponent > Rational(kLargestDegree))
        return std::nullopt;
      out.degree = exponent.numerator();
    } else if (contains(factor, index)) {
      return std::nullopt;
    } else {
      rest.push_back(factor);
    }
  }
  out.coefficient = make_product(rest);
  return out;
}

Expression with_own_level(const Expression& index, const Expression& body, Expression& own) {
  own = Factory::bound_symbol(node_of(body).height + 1);
  Expression result = replace(body, index, own);
  while (node_of(result).height + 1 != node_of(own).level) {
    const Expression next = Factory::bound_symbol(node_of(result).height + 1);
    result = replace(result, own, next);
    own = next;
  }
  return result;
}

// Returns coefficient * sum of a single term that is no power of the index.
Expression open_series(const Expression& index, const Expression& first, const Expression& last,
                       const Expression& term) {
  std::vector<Expression> outside{Factory::number(coefficient_of(term))}, inside;
  for (const Expression& factor : symbolic_factors(term)) {
    (!contains(factor, index) && is_total(factor) ? outside : inside).push_back(factor);
  }
  Expression own;
  const Expression body = with_own_level(index, make_product(inside), own);
  outside.push_back(Factory::node(Operation::series, {own, first, last, body}));
  return make_product(outside);
}

struct Bounds {
  Expression first, last;
};

Expression closed_power(const Bounds& bounds, int degree) {
  return expand(faulhaber(degree, bounds.last) - faulhaber(degree, bounds.first - 1));
}

// Returns the closed form of the polynomial part, by degree, or nothing if a coefficient stopped being exact.
std::optional<Expression> closed(const Bounds& bounds,
                                 const std::map<std::int64_t, std::vector<Expression>>& coefficients) {
  std::vector<Expression> terms;
  bool real_before = node_of(bounds.first).has_real || node_of(bounds.last).has_real;
  for (const auto& [degree, parts] : coefficients) {
    const Expression coefficient = make_sum(parts);
    real_before |= node_of(coefficient).has_real;
    terms.push_back(coefficient * closed_power(bounds, static_cast<int>(degree)));
  }
  const Expression total = expand(make_sum(terms));
  if (node_of(total).has_real && !real_before) return std::nullopt;
  // Faulhaber's formula also holds for the empty sum with last = first - 1, but only where its coefficients
  // have values.
  const Expression extent = bounds.last - bounds.first;
  const Expression condition = is_total(total) ? extent + 1 : extent;
  return is_nonnegative(condition) ? total : conditional(condition, total, Expression(0));
}

// Returns the slope of a condition that is linear in the index with a numeric coefficient.
std::optional<Number> slope(const Expression& condition, const Expression& index) {
  Number out;
  for (const Expression& term : terms_of(condition)) {
    const auto power_of_index = as_index_power(term, index);
    const bool linear =
        power_of_index && (power_of_index->degree == 0 ||
                           (power_of_index->degree == 1 && power_of_index->coefficient.is_number()));
    if (!linear) return std::nullopt;
    if (power_of_index->degree == 1) out = add(out, number_of(power_of_index->coefficient));
  }
  return out.is_zero() ? std::nullopt : std::optional(out);
}

// Resolves conditions that hold, or fail, for the entire range of the index, as in inner loops.
class RangeSimplifier {
 public:
  RangeSimplifier(const Expression& index, const Bounds& bounds) : index_(index), bounds_(bounds) {}

  Expression operator()(const Expression& a) {
    if (!may_contain(a, index_) || a.operands().empty() || a.operation() == Operation::series) return a;
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    std::vector<Expression> operands;
    for (const Expression& operand : a.operands()) operands.push_back((*this)(operand));
    Expression result = rebuild(a, operands);
    if (result.operation() == Operation::conditional) result = decide(result);
    done_.emplace(a.node(), result);
    return result;
  }

 private:
  Expression decide(const Expression& a) const {
    const Expression& condition = a.operands()[0];
    const auto rise = slope(condition, index_);
    if (!rise) return a;
    const bool rising = rise->sign() > 0;
    if (is_nonnegative(replace(condition, index_, rising ? bounds_.first : bounds_.last)))
      return a.operands()[1];
    if (is_positive(-replace(condition, index_, rising ? bounds_.last : bounds_.first)))
      return a.operands()[2];
    return a;
  }

  Expression index_;
  Bounds bounds_;
  std::unordered_map<const Node*, Expression> done_;
};

Expression sum_terms(const Expression& index, const Bounds& bounds, const Expression& body) {
  std::map<std::int64_t, std::vector<Expression>> coefficients;
  std::vector<Expression> total, polynomial;
  for (const Expression& term : terms_of(body)) {
    if (const auto power_of_index = as_index_power(term, index)) {
      coefficients[power_of_index->degree].push_back(power_of_index->coefficient);
      polynomial.push_back(term);
    } else {
      total.push_back(open_series(index, bounds.first, bounds.last, term));
    }
  }
  if (const auto closed_part = closed(bounds, coefficients)) {
    total.push_back(*closed_part);
  } else {
    for (const Expression& term : polynomial)
      total.push_back(open_series(index, bounds.first, bounds.last, term));
  }
  return make_sum(total);
}

}  // namespace

Expression series(const Expression& index, const Expression& first, const Expression& last,
                  const Expression& body) {
  const Bounds bounds{is_whole(first, true) ? first : ceil(first), is_whole(last, true) ? last : floor(last)};
  const Expression extent = bounds.last - bounds.first;
  if (extent.is_number() && extent.number() < 0) return Expression(0);
  if (extent.is_zero()) return replace(body, index, bounds.first);
  Expression own;
  const Expression here = with_own_level(index, body, own);
  return sum_terms(own, bounds, expand(RangeSimplifier(own, bounds)(here)));
}

}  // namespace parcast::symbolic
