// SPDX-License-Identifier: Apache-2.0
// Proves facts about every value of an expression from its structure and the kinds of its symbols.

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "symbolic/build.h"

namespace parcast::symbolic {

namespace {

bool is_whole_symbol(const Expression& a, bool parameters_too) {
  switch (a.kind()) {
    case SymbolKind::rank:
    case SymbolKind::processes:
    case SymbolKind::loop_index:
      return true;
    case SymbolKind::parameter:
      return parameters_too;
    case SymbolKind::machine_cost:
      return false;
  }
  return false;
}

bool all_whole(std::span<const Expression> operands, bool parameters_too) {
  return std::ranges::all_of(operands, [&](const Expression& e) { return is_whole(e, parameters_too); });
}

}  // namespace

bool is_whole(const Expression& a, bool parameters_too) {
  switch (a.operation()) {
    case Operation::constant:
      return a.constant().is_integer();
    case Operation::real:
      return std::floor(a.number()) == a.number() && std::isfinite(a.number());
    case Operation::symbol:
      return is_whole_symbol(a, parameters_too);
    case Operation::floor:
    case Operation::ceil:
      return true;
    case Operation::sum:
    case Operation::product:
    case Operation::modulo:
    case Operation::minimum:
    case Operation::maximum:
      return all_whole(a.operands(), parameters_too);
    case Operation::power: {
      const Rational& exponent = a.operands()[1].constant();
      return exponent.is_integer() && exponent.sign() > 0 && is_whole(a.operands()[0], parameters_too);
    }
    case Operation::conditional:
      return all_whole(a.operands().subspan(1), parameters_too);
    case Operation::series:
      return is_whole(a.operands()[3], parameters_too);
    case Operation::log2:
      return false;
  }
  return false;
}

bool is_total(const Expression& a) {
  switch (a.operation()) {
    case Operation::log2:
    case Operation::series:
      return false;
    case Operation::power: {
      const Rational& exponent = a.operands()[1].constant();
      return exponent.is_integer() && exponent.sign() > 0 && is_total(a.operands()[0]);
    }
    case Operation::modulo:
      return a.operands()[1].is_number() && is_total(a.operands()[0]);
    default:
      return std::ranges::all_of(a.operands(), [](const Expression& e) { return is_total(e); });
  }
}

namespace {

bool contains(const Expression& a, const Expression& symbol, std::unordered_set<const Node*>& seen) {
  if (a == symbol) return true;
  if (!may_contain(a, symbol) || !seen.insert(a.node()).second) return false;
  std::span<const Expression> operands = a.operands();
  if (a.operation() == Operation::series) {
    const bool shadowed = operands[0] == symbol;
    operands = operands.subspan(1, shadowed ? 2 : 3);
  }
  return std::ranges::any_of(operands, [&](const Expression& e) { return contains(e, symbol, seen); });
}

}  // namespace

Result<void> check_nesting(const Expression& a) {
  if (node_of(a).height <= kMostNestedSeries) return {};
  return Error{"an expression has " + std::to_string(node_of(a).height) + " nested sums, more than 63", "",
               ""};
}

bool contains(const Expression& a, const Expression& symbol) {
  std::unordered_set<const Node*> seen;
  return contains(a, symbol, seen);
}

}  // namespace parcast::symbolic
