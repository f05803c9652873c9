// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: random recipes of expressions. A recipe is a plain tree. It can be built as an Expression,
// which simplifies it, or evaluated directly in arbitrary precision. The two must agree.

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
  Rational number;               // constant; the exponent of a power
  double real_number = 0;        // real
  std::string name;              // symbol
  std::vector<Recipe> operands;  // for a series: first, last, body, with the index named `name`
};
std::ostream& operator<<(std::ostream& out, const Recipe& recipe);

enum class Family {
  polynomial,  // sums, products, powers 2 and 3
  rational,    // also negative powers
  exact,       // also floor, ceil, modulo, minimum, maximum, conditional, series
  full,        // also real constants, log2, fractional powers
};

/// Decodes a recipe from a list of numbers. Any list gives a recipe, so shrinking the list shrinks the
/// recipe.
Recipe decode(const std::vector<std::uint16_t>& choices, Family family);

/// n, m, x are parameters (any fraction), p is processes (1, 2, ...), r is a rank (0, 1, ...).
Expression symbol_of(const std::string& name);
const std::vector<std::string>& symbol_names();
const std::map<std::string, SymbolKind, std::less<>>& symbol_kinds();
ExactBinding decode_point(const std::vector<std::uint16_t>& choices);

Expression build(const Recipe& recipe);
/// Returns the same recipe with the operands of commutative operations reversed.
Recipe reversed(const Recipe& recipe);
GiNaC::ex build_oracle(const Recipe& recipe, const std::map<std::string, GiNaC::symbol>& symbols);

/// Value by arbitrary precision arithmetic directly from the definitions, empty where there is none.
using OracleBinding = std::map<std::string, GiNaC::numeric>;
std::optional<GiNaC::numeric> oracle_value(const Recipe& recipe, const OracleBinding& at);
GiNaC::numeric to_numeric(const Rational& a);
OracleBinding to_numeric(const ExactBinding& at);
Binding to_double(const ExactBinding& at);

}  // namespace parcast::symbolic
