// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/rank_groups.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace parcast::predict {
namespace {

using symbolic::Expression;
using symbolic::Operation;

bool is_place(const Expression& e) {
  return e.operation() == Operation::symbol && e.kind() == symbolic::SymbolKind::rank;
}

// Returns whether the operation maps many values of its operands to few, or has an index of its own.
bool is_step(Operation operation) {
  switch (operation) {
    case Operation::floor:
    case Operation::ceil:
    case Operation::modulo:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::conditional:
    case Operation::series:
      return true;
    default:
      return false;
  }
}

class Cut {
 public:
  const std::set<Expression>& of(const Expression& e) {
    const auto [found, fresh] = known_.try_emplace(e.node());
    if (!fresh) return found->second;
    std::set<Expression> through;
    if (is_place(e)) through.insert(e);
    for (const Expression& operand : e.operands()) {
      const std::set<Expression>& below = of(operand);
      through.insert(below.begin(), below.end());
    }
    const bool whole = e.operation() == Operation::series
                           ? !through.empty()
                           : std::any_of(through.begin(), through.end(), is_place);
    if (whole && is_step(e.operation())) through = {e};
    return known_[e.node()] = std::move(through);
  }

 private:
  std::unordered_map<const symbolic::Node*, std::set<Expression>> known_;
};

}  // namespace

std::vector<Expression> rank_dependence(std::span<const Expression> outputs) {
  Cut cut;
  std::set<Expression> all;
  for (const Expression& output : outputs) {
    const std::set<Expression>& through = cut.of(output);
    all.insert(through.begin(), through.end());
  }
  return {all.begin(), all.end()};
}

std::vector<std::size_t> distinct(std::span<const double> values, std::size_t width, std::size_t first,
                                  std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t i = first; i < first + count; ++i) {
    const bool known = std::any_of(out.begin(), out.end(), [&](std::size_t earlier) {
      for (std::size_t column = 0; column < values.size(); column += width)
        if (values[column + i] != values[column + earlier]) return false;
      return true;
    });
    if (!known) out.push_back(i);
  }
  return out;
}

}  // namespace parcast::predict
