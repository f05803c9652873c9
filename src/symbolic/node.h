// SPDX-License-Identifier: Apache-2.0
#pragma once
// The node of an expression, and the table with one node per structure. Only src/symbolic includes this file.
//
// The index of a series is a bound symbol. It has no name but a level: 1 + the largest level of the series
// inside the body. So series that differ only in the name of their index are the same node. An algorithm that
// works inside a body opens it first: the index becomes a temporary symbol (levels from kTemporary) that
// occurs nowhere else.

#include <cstdint>
#include <string>
#include <vector>

#include "symbolic/expression.h"
#include "symbolic/number.h"

namespace parcast::symbolic {

constexpr std::uint32_t kTemporary = 1u << 31;

struct Node {
  Operation operation = Operation::constant;
  SymbolKind kind = SymbolKind::parameter;
  std::uint32_t level = 0;  // of a symbol: 0 free, else bound
  Number number;            // constant, real
  std::string name;         // free symbol
  std::vector<Expression> operands;

  // Derived from the members above by Factory::intern.
  std::uint64_t hash = 0;       // of the structure; equal in every run
  std::uint64_t symbols = 0;    // bit set of all symbols inside: a clear bit proves absence
  std::uint64_t loose = 0;      // bit set (level mod 64) of bound symbols that are not bound inside
  std::uint32_t height = 0;     // largest level of a series inside
  std::uint32_t temporary = 0;  // largest temporary level inside, or 0
  bool has_real = false;
  double degree = 0;  // sum of exponents, 0 for functions; it orders the terms of a sum
};

/// Creates or finds the one node of a structure. Operands must be canonical; nothing is simplified here.
struct Factory {
  static Expression intern(Node node);
  static Expression number(const Number& value);
  static Expression bound_symbol(std::uint32_t level);
  static Expression node(Operation operation, std::vector<Expression> operands);
};

inline const Node& node_of(const Expression& a) {
  return *a.node();
}
inline const Number& number_of(const Expression& a) {
  return a.node()->number;
}
std::uint64_t symbol_bit(const Expression& symbol);
/// Returns false only if `a` is free of the symbol.
inline bool may_contain(const Expression& a, const Expression& symbol) {
  return a.node()->symbols & symbol_bit(symbol);
}
/// Largest number of nested series that Node::loose distinguishes. Evaluation, compilation and bounds reject
/// more.
constexpr std::uint32_t kMostNestedSeries = 63;
Result<void> check_nesting(const Expression& a);
/// Returns the number of nodes in the table.
std::size_t interned_node_count();

}  // namespace parcast::symbolic
