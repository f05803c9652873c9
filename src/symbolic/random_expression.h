// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: random recipes of expressions. A recipe is a plain tree that can be built as an Expression, which
// simplifies, and evaluated by itself in arbitrary precision, which does not; the two must agree.

#include <ginac/ginac.h>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::symbolic {

void PrintTo(const Expression& a, std::ostream* out);

struct Recipe {
  Operation operation = Operation::constant;
  Rational number;                // constant; the exponent of a power
  double real_number = 0;         // real
  std::string name;               // symbol
  std::vector<Recipe> operands;   // of a series: first, last, body, with the index named `name`
};
std::ostream& operator<<(std::ostream& out, const Recipe& recipe);

enum class Family {
  polynomial,  // sums, products, powers 2 and 3
  rational,    // and negative powers
  exact,       // and floor, ceil, modulo, minimum, maximum, conditional, series
  full,        // and real constants, log2, fractional powers
};

/// Reads choices off a list of numbers; any list gives a recipe, so that shrinking the list shrinks the recipe.
Recipe decode(const std::vector<std::uint16_t>& choices, Family family);

/// n, m, x are parameters (any fraction), p processes (1, 2, ...), r a rank (0, 1, ...).
Expression symbol_of(const std::string& name);
const std::vector<std::string>& symbol_names();
const std::map<std::string, SymbolKind, std::less<>>& symbol_kinds();
ExactBinding decode_point(const std::vector<std::uint16_t>& choices);

Expression build(const Recipe& recipe);
/// The same recipe with the operands of commutative operations in reverse.
Recipe reversed(const Recipe& recipe);
GiNaC::ex build_oracle(const Recipe& recipe, const std::map<std::string, GiNaC::symbol>& symbols);

/// Value by arbitrary precision arithmetic, straight from the definitions; nothing where there is none.
using OracleBinding = std::map<std::string, GiNaC::numeric>;
std::optional<GiNaC::numeric> oracle_value(const Recipe& recipe, const OracleBinding& at);
GiNaC::numeric to_numeric(const Rational& a);
OracleBinding to_numeric(const ExactBinding& at);
Binding to_double(const ExactBinding& at);

}  // namespace parcast::symbolic
