// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbolic expressions over parameters, the core on which models and engines stand. Expressions are immutable values
// with shared structure, kept in a canonical form: equal canonical forms share one node, so comparison is a pointer
// comparison. Coefficients are exact fractions; a fitted coefficient is a real constant, which stays one.
//
//   Expression n = symbol("n", SymbolKind::parameter);
//   Expression p = symbol("p", SymbolKind::processes);
//   Expression t = 3 * n * n + ceil(n / p);
//   to_text(t)                      "3*n^2 + ceil(n/p)"
//   evaluate(t, {{"n", 10}, {"p", 4}}).value()   303
//
// Simplification keeps every value an expression has; it may give one where the original had none (n/n is 1). A fraction
// that outgrows 64 bits in a sum or product turns into a real constant, never wraps; docs/models/expressions.md.

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

/// What a symbol stands for; it decides what an engine may vary and what it may differentiate by. Ranks (>= 0), process
/// counts (>= 1) and loop indices are whole numbers, and simplification makes use of it.
enum class SymbolKind { parameter, rank, processes, machine_cost, loop_index };

enum class Operation {
  constant,     // exact fraction
  real,         // floating constant
  symbol,
  sum,          // of two or more terms
  product,      // of two or more factors, a number first
  power,        // base, constant rational exponent
  floor,
  ceil,
  modulo,       // floored: a - b floor(a / b)
  minimum,      // of two or more
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
  const Rational& constant() const;          // operation() == constant; the exponent of a power is operands()[1]
  double number() const;                     // operation() == constant or real
  const std::string& name() const;           // operation() == symbol
  SymbolKind kind() const;                   // operation() == symbol
  bool is_constant() const { return operation() == Operation::constant; }
  bool is_number() const { return is_constant() || operation() == Operation::real; }
  bool is_zero() const;

  /// Same canonical form (pointer comparison).
  friend bool operator==(const Expression& a, const Expression& b) { return a.node_ == b.node_; }
  /// A total order that does not depend on addresses.
  friend std::strong_ordering operator<=>(const Expression& a, const Expression& b);

  const Node* node() const { return node_.get(); }

 private:
  friend struct Factory;
  explicit Expression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// The symbol `name`; asking again with another kind gives a different symbol. Within one expression a name should have
/// one kind: bindings, substitutions and text go by name alone.
Expression symbol(std::string_view name, SymbolKind kind);
/// A floating constant, kept apart from the exact ones: real(2.0) is not 2, and evaluate_exactly refuses it. real(0.0) is 0.
/// Infinite values evaluate to an error; not a number gives the undefined expression 1/0.
Expression real(double value);

Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);
Expression operator/(const Expression& a, const Expression& b);  // a * b^-1; by the constant 0: has no value anywhere
Expression operator-(const Expression& a);
Expression sum_of(std::span<const Expression> terms);
Expression product_of(std::span<const Expression> factors);
/// Fractional powers have a value for base >= 0 only.
Expression power(const Expression& base, const Rational& exponent);
Expression floor(const Expression& a);
Expression ceil(const Expression& a);
Expression modulo(const Expression& a, const Expression& b);
Expression min(const Expression& a, const Expression& b);
Expression max(const Expression& a, const Expression& b);
Expression log2(const Expression& a);
/// `then` where condition >= 0, `otherwise` elsewhere.
Expression conditional(const Expression& condition, const Expression& then, const Expression& otherwise);
/// Sum of `body` over the loop index from `first` to `last`, both inclusive, zero when last < first. Symbols in the
/// bounds count as whole numbers; a bound that could still be a fraction is rounded inwards. Bodies that are polynomial
/// in the index are closed by Faulhaber's formula (under the condition last >= first - 1, else kept behind a
/// conditional); others stay a series.
Expression series(const Expression& index, const Expression& first, const Expression& last, const Expression& body);
/// Products of sums multiplied out, in operands too. A product that would have more than 100,000 terms stays.
Expression expand(const Expression& a);

using Binding = std::map<std::string, double, std::less<>>;
using ExactBinding = std::map<std::string, Rational, std::less<>>;
using Substitution = std::map<std::string, Expression, std::less<>>;

/// Replaces free symbols by name, all at once; bound series indices are never captured.
Expression substitute(const Expression& a, const Substitution& with);
/// A sum over what its terms' coefficients have in common, the first one above 0; of anything else, itself.
Expression primitive_part(const Expression& a);
/// Replaces whole parts and multiples of sums, the largest first, by what is given for each; none may hold the index of a series.
Expression replace_parts(const Expression& a, const std::map<Expression, Expression>& with);
/// Conditionals, minima and maxima that come to the same operand at all points are replaced by it, and what is whole there is not
/// rounded: a shorter expression that is equal there, and may differ elsewhere.
Expression decide(const Expression& a, std::span<const Binding> points);
/// Derivative by a symbol. Piecewise constant functions (floor, ceil, a series in its bounds) have derivative 0 between
/// their steps; min, max and conditional give a conditional (one-sided at the kink).
Expression differentiate(const Expression& a, const Expression& by);
/// Free symbols in the total order.
std::vector<Expression> free_symbols(const Expression& a);

/// Value at a point. An error names a symbol without value, a division by zero, a fractional power of a value < 0, a
/// logarithm of a value <= 0, a result beyond the range of a double, or a series of more than 10^8 terms.
Result<double> evaluate(const Expression& a, const Binding& at);
/// Exact value; an error also where the value is irrational (log2, roots), does not fit, or a real constant occurs.
Result<Rational> evaluate_exactly(const Expression& a, const ExactBinding& at);

struct Interval {
  double low = 0;
  double high = 0;
};
/// Bounds that contain every value of `a` while each symbol stays in its interval (outward; not always tight; ends may
/// be infinite). An error when a symbol has no interval, or `a` has no value anywhere in them.
Result<Interval> bound(const Expression& a, const std::map<std::string, Interval, std::less<>>& within);

/// Text that `parse` reads back to the same expression: + - * / ^, floor ceil mod min max log2, if(c >= 0, a, b),
/// sum(k, first, last, body). Real constants have a point or an exponent; unusual names stand in single quotes.
std::string to_text(const Expression& a);
/// The same for people: real constants, long fractions and fractional exponents of fits are rounded to four digits.
std::string readable_text(const Expression& a);
/// Unknown names are looked up in `kinds`; the error says the column.
Result<Expression> parse(std::string_view text, const std::map<std::string, SymbolKind, std::less<>>& kinds);

}  // namespace parcast::symbolic
