// SPDX-License-Identifier: Apache-2.0
// Replaces symbols, and opens series so that indices are never captured.

#include <algorithm>
#include <array>
#include <unordered_map>

#include "symbolic/build.h"

namespace parcast::symbolic {

Expression temporary_symbol(std::span<const Expression> away_from) {
  std::uint32_t level = kTemporary;
  for (const Expression& e : away_from) level = std::max(level, node_of(e).temporary);
  return Factory::bound_symbol(level + 1);
}

Expression map_series(const Expression& a, std::span<const Expression> away_from,
                      const std::function<Expression(const Expression&)>& change) {
  const std::span<const Expression> operands = a.operands();
  std::vector<Expression> others(away_from.begin(), away_from.end());
  others.push_back(operands[3]);
  const Expression index = temporary_symbol(others);
  const Expression body = change(replace(operands[3], operands[0], index));
  return series(index, change(operands[1]), change(operands[2]), body);
}

namespace {

class Replacer {
 public:
  Replacer(const Expression& symbol, const Expression& by) : symbol_(symbol), by_(by) {}

  Expression operator()(const Expression& a) {
    if (a == symbol_) return by_;
    if (!may_contain(a, symbol_)) return a;
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    Expression result = a.operation() == Operation::series ? in_series(a) : in_operands(a);
    done_.emplace(a.node(), result);
    kept_.push_back(a);
    return result;
  }

 private:
  Expression in_operands(const Expression& a) {
    std::vector<Expression> operands;
    for (const Expression& operand : a.operands()) operands.push_back((*this)(operand));
    return rebuild(a, operands);
  }

  Expression in_series(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    if (o[0] == symbol_) return rebuild(a, std::array{o[0], (*this)(o[1]), (*this)(o[2]), o[3]});
    // A symbol that is neither this index nor one inside cannot be captured, so the body need not be opened.
    const bool harmless = by_.operation() == Operation::symbol &&
                          (node_of(by_).level == 0 || node_of(by_).level > node_of(a).height);
    if (harmless) return rebuild(a, std::array{o[0], (*this)(o[1]), (*this)(o[2]), (*this)(o[3])});
    return map_series(a, std::array{symbol_, by_}, [this](const Expression& e) { return (*this)(e); });
  }

  Expression symbol_, by_;
  std::unordered_map<const Node*, Expression> done_;
  std::vector<Expression> kept_;  // keeps the expressions alive, so that no address in done_ is reused
};

class Substituter {
 public:
  explicit Substituter(const Substitution& with) : with_(with) {
    for (const auto& [name, value] : with) values_.push_back(value);
  }

  Expression operator()(const Expression& a) {
    if (a.is_number()) return a;
    if (a.operation() == Operation::symbol) {
      const auto found = node_of(a).level == 0 ? with_.find(a.name()) : with_.end();
      return found == with_.end() ? a : found->second;
    }
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    Expression result = a.operation() == Operation::series ? in_series(a) : in_operands(a);
    done_.emplace(a.node(), result);
    kept_.push_back(a);
    return result;
  }

 private:
  Expression in_operands(const Expression& a) {
    std::vector<Expression> operands;
    for (const Expression& operand : a.operands()) operands.push_back((*this)(operand));
    return rebuild(a, operands);
  }

  Expression in_series(const Expression& a) {
    const std::vector<Expression> symbols = free_symbols(a);
    const bool touched =
        std::ranges::any_of(symbols, [this](const Expression& s) { return with_.contains(s.name()); });
    return touched ? map_series(a, values_, [this](const Expression& e) { return (*this)(e); }) : a;
  }

  const Substitution& with_;
  std::vector<Expression> values_;
  std::unordered_map<const Node*, Expression> done_;
  std::vector<Expression> kept_;
};

class PartReplacer {
 public:
  explicit PartReplacer(const std::map<Expression, Expression>& with) : with_(with) {}

  Expression operator()(const Expression& a) {
    if (const auto found = with_.find(a); found != with_.end()) return found->second;
    if (a.operation() == Operation::sum) {
      const auto [content, primitive] = split_content(a);
      if (const auto found = with_.find(primitive); found != with_.end())
        return scaled(content, found->second);
    }
    if (a.is_number() || a.operation() == Operation::symbol) return a;
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    std::vector<Expression> operands;
    for (const Expression& operand : a.operands()) operands.push_back((*this)(operand));
    const Expression result = rebuild(a, operands);
    done_.emplace(a.node(), result);
    kept_.push_back(a);
    return result;
  }

 private:
  const std::map<Expression, Expression>& with_;
  std::unordered_map<const Node*, Expression> done_;
  std::vector<Expression> kept_;
};

}  // namespace

Expression primitive_part(const Expression& a) {
  return a.operation() == Operation::sum ? split_content(a).second : a;
}

Expression replace_parts(const Expression& a, const std::map<Expression, Expression>& with) {
  return PartReplacer(with)(a);
}

Expression replace(const Expression& a, const Expression& symbol, const Expression& by) {
  return symbol == by ? a : Replacer(symbol, by)(a);
}

Expression substitute(const Expression& a, const Substitution& with) {
  return Substituter(with)(a);
}

}  // namespace parcast::symbolic
