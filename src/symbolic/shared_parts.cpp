// SPDX-License-Identifier: Apache-2.0
#include "symbolic/shared_parts.h"

#include <algorithm>
#include <map>

namespace parcast::symbolic {
namespace {

/// Counts the places where each part is used. A part inside a shared part is used once there.
void count_uses(const Expression& a, std::map<Expression, std::size_t>& uses) {
  if (++uses[a] > 1 || a.operation() == Operation::series) return;
  for (const Expression& operand : a.operands()) count_uses(operand, uses);
}

}  // namespace

std::vector<NamedPart> name_shared_parts(
    std::span<Expression> values, std::size_t least_length,
    const std::function<std::string(const Expression& part, std::size_t number)>& name) {
  std::map<Expression, std::size_t> uses;
  for (const Expression& value : values) count_uses(value, uses);
  // A part is shorter than every part that contains it.
  std::vector<std::pair<std::size_t, Expression>> shared;
  for (const auto& [part, times] : uses) {
    if (times < 2 || part.is_number() || part.operation() == Operation::symbol) continue;
    if (const std::size_t length = readable_text(part).size(); length >= least_length)
      shared.emplace_back(length, part);
  }
  std::ranges::stable_sort(shared, {}, &std::pair<std::size_t, Expression>::first);
  std::vector<NamedPart> parts;
  std::map<Expression, Expression> names;
  for (const auto& [length, part] : shared) {
    const Expression symbol = symbolic::symbol(name(part, parts.size()), SymbolKind::parameter);
    parts.push_back({symbol, replace_parts(part, names)});
    names.emplace(part, symbol);
  }
  for (Expression& value : values) value = replace_parts(value, names);
  return parts;
}

}  // namespace parcast::symbolic
