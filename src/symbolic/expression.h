// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbolic expressions over parameters, on which models and engines are based. Expressions are immutable
// values with shared structure in a canonical form. Equal canonical forms share one node, so comparison is a
// pointer comparison. Coefficients are exact fractions. A fitted coefficient is a real constant and stays
// one.
//
//   Expression n = symbol("n", SymbolKind::parameter);
//   Expression p = symbol("p", SymbolKind::processes);
//   Expression t = 3 * n * n + ceil(n / p);
//   to_text(t)                      "3*n^2 + ceil(n/p)"
//   evaluate(t, {{"n", 10}, {"p", 4}}).value()   303
//
// Simplification preserves every value of an expression. It may add a value where the original has none (n/n
// is 1). A fraction that exceeds 64 bits in a sum or product becomes a real constant and never wraps;
// docs/models/expressions.md.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "symbolic/rational.h"

namespace parcast::symbolic {

/// The meaning of a symbol. It determines what an engine may vary and differentiate by. Ranks (>= 0), process
/// counts (>= 1) and loop indices are integers, which simplification uses.
enum class SymbolKind { parameter, rank, processes, machine_cost, loop_index };

enum class Operation {
  constant,  // exact fraction
  real,      // floating constant
  symbol,
  sum,      // of two or more terms
  product,  // of two or more factors, a number first
  power,    // base, constant rational exponent
  floor,
  ceil,
  modulo,   // floored: a - b floor(a / b)
  minimum,  // of two or more
  maximum,
  log2,
  conditional,  // condition >= 0 ? then : otherwise
  series,       // index, first, last, body: sum of body for index = first .. last (empty when last < first)
};

struct Node;

class Expression {
 public:
  Expression();  // zero
  Expression(Rational value);
  Expression(std::int64_t value);
  Expression(int value) : Expression(static_cast<std::int64_t>(value)) {}

  Operation operation() const;
  std::span<const Expression> operands() const;
  const Rational& constant() const;  // operation() == constant; the exponent of a power is in operands()[1]
  double number() const;             // operation() == constant or real
  const std::string& name() const;   // operation() == symbol
  SymbolKind kind() const;           // operation() == symbol
  bool is_constant() const { return operation() == Operation::constant; }
  bool is_number() const { return is_constant() || operation() == Operation::real; }
  bool is_zero() const;

  /// Equal canonical form (pointer comparison).
  friend bool operator==(const Expression& a, const Expression& b) { return a.node_ == b.node_; }
  /// A total order that does not depend on addresses.
  friend std::strong_ordering operator<=>(const Expression& a, const Expression& b);

  const Node* node() const { return node_.get(); }

 private:
  friend struct Factory;
  explicit Expression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// Returns the symbol `name`. Another kind gives a different symbol. Within one expression a name should have
/// one kind, since bindings, substitutions and text use only names.
Expression symbol(std::string_view name, SymbolKind kind);
/// Returns a floating constant. It stays distinct from exact numbers: real(2.0) is not 2, and
/// evaluate_exactly rejects it. real(0.0) is 0. Infinite values evaluate to an error; NaN gives the undefined
/// expression 1/0.
Expression real(double value);

Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);
// a * b^-1; no value anywhere if b is the constant 0
Expression operator/(const Expression& a, const Expression& b);
Expression operator-(const Expression& a);
Expression sum_of(std::span<const Expression> terms);
Expression product_of(std::span<const Expression> factors);
/// Fractional powers have a value only for base >= 0.
Expression power(const Expression& base, const Rational& exponent);
Expression floor(const Expression& a);
Expression ceil(const Expression& a);
Expression modulo(const Expression& a, const Expression& b);
Expression min(const Expression& a, const Expression& b);
Expression max(const Expression& a, const Expression& b);
Expression log2(const Expression& a);
/// `then` where condition >= 0, `otherwise` elsewhere.
Expression conditional(const Expression& condition, const Expression& then, const Expression& otherwise);
/// Returns the sum of `body` over the loop index from `first` to `last`, both inclusive; zero when last <
/// first. Symbols in the bounds count as integers; a bound that may still be a fraction is rounded inwards. A
/// body that is a polynomial in the index is replaced by its closed form (Faulhaber's formula). If the
/// condition last >= first - 1 is not proved, a conditional encloses the closed form. Other bodies stay a
/// series.
Expression series(const Expression& index, const Expression& first, const Expression& last,
                  const Expression& body);
/// Multiplies out products of sums, in operands too. A product that would have more than 100,000 terms is
/// kept.
Expression expand(const Expression& a);

using Binding = std::map<std::string, double, std::less<>>;
using ExactBinding = std::map<std::string, Rational, std::less<>>;
using Substitution = std::map<std::string, Expression, std::less<>>;

/// Replaces free symbols by name, all at once; bound series indices are never captured.
Expression substitute(const Expression& a, const Substitution& with);
/// Divides a sum by the content of its coefficients, so that the first one is positive. Returns any other
/// expression unchanged.
Expression primitive_part(const Expression& a);
/// Replaces complete subexpressions and multiples of sums by the given expressions, the largest first. No
/// replaced part may contain the index of a series.
Expression replace_parts(const Expression& a, const std::map<Expression, Expression>& with);
/// Replaces conditionals, minima and maxima that select the same operand at all points by that operand, and
/// drops rounding of what is an integer at all points. The shorter expression is equal there and may differ
/// elsewhere.
Expression decide(const Expression& a, std::span<const Binding> points);
/// Returns the derivative by a symbol. Piecewise constant functions (floor, ceil, a series in its bounds)
/// have derivative 0 between their steps; min, max and conditional give a conditional (one-sided at the
/// kink).
Expression differentiate(const Expression& a, const Expression& by);
/// Returns the free symbols in the total order.
std::vector<Expression> free_symbols(const Expression& a);

/// Returns the value at a point. Errors are: a symbol without value (which is named), a division by zero, a
/// fractional power of a value < 0, a logarithm of a value <= 0, a result beyond the range of a double, or a
/// series of more than 10^8 terms.
Result<double> evaluate(const Expression& a, const Binding& at);
/// Returns the exact value. It is also an error if the value is irrational (log2, roots), does not fit, or
/// depends on a real constant.
Result<Rational> evaluate_exactly(const Expression& a, const ExactBinding& at);

struct Interval {
  double low = 0;
  double high = 0;
};
/// Returns bounds that contain every value of `a` while each symbol stays in its interval. They are rounded
/// outward, are not always tight, and may be infinite. It is an error if a symbol has no interval, or if `a`
/// has no value anywhere in them.
Result<Interval> bound(const Expression& a, const std::map<std::string, Interval, std::less<>>& within);

/// Returns text that `parse` reads back to the same expression: + - * / ^, floor ceil mod min max log2, if(c
/// >= 0, a, b), sum(k, first, last, body). Real constants have a point or an exponent; unusual names are in
/// single quotes.
std::string to_text(const Expression& a);
/// Returns text for people, in which real constants, long fractions and fractional exponents of fits are
/// rounded to four digits.
std::string readable_text(const Expression& a);
/// Parses an expression. The kinds of its names are looked up in `kinds`; an error gives the column.
Result<Expression> parse(std::string_view text, const std::map<std::string, SymbolKind, std::less<>>& kinds);

}  // namespace parcast::symbolic
