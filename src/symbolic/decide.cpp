// SPDX-License-Identifier: Apache-2.0
// Resolves choices that have the same outcome at all given points.

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "symbolic/build.h"

namespace parcast::symbolic {
namespace {

class Decider {
 public:
  explicit Decider(std::span<const Binding> points) : points_(points) {}

  Expression operator()(const Expression& a) {
    if (a.is_number() || a.operation() == Operation::symbol) return a;
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    Expression result = decided(a);
    done_.emplace(a.node(), result);
    kept_.push_back(a);
    return result;
  }

 private:
  Expression decided(const Expression& a) {
    const std::span<const Expression> operands = a.operands();
    // A part with loose symbols depends on the index of an enclosing series.
    if (a.operation() == Operation::conditional && node_of(operands[0]).loose == 0)
      if (const auto holds = always(operands[0])) return (*this)(operands[*holds ? 1 : 2]);
    if (node_of(a).loose == 0) {
      if (a.operation() == Operation::minimum || a.operation() == Operation::maximum)
        if (const auto which = chosen(a)) return (*this)(operands[*which]);
      if ((a.operation() == Operation::floor || a.operation() == Operation::ceil) && changes_nothing(a))
        return (*this)(operands[0]);
    }
    std::vector<Expression> changed;
    for (const Expression& operand : operands) changed.push_back((*this)(operand));
    return rebuild(a, changed);
  }

  std::optional<bool> always(const Expression& condition) const {
    std::optional<bool> holds;
    for (const Binding& point : points_) {
      const auto value = evaluate(condition, point);
      if (!value || (holds && *holds != (*value >= 0))) return std::nullopt;
      holds = *value >= 0;
    }
    return holds;
  }

  std::optional<std::size_t> chosen(const Expression& a) const {
    const std::span<const Expression> operands = a.operands();
    std::vector<bool> may_be(operands.size(), !points_.empty());
    for (const Binding& point : points_) {
      const auto all = evaluate(a, point);
      if (!all) return std::nullopt;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto value = evaluate(operands[i], point);
        if (!value || *value != *all) may_be[i] = false;
      }
    }
    const auto first = std::ranges::find(may_be, true);
    return first == may_be.end() ? std::nullopt
                                 : std::optional(static_cast<std::size_t>(first - may_be.begin()));
  }

  bool changes_nothing(const Expression& rounding) const {
    return !points_.empty() && std::ranges::all_of(points_, [&](const Binding& point) {
      const auto before = evaluate(rounding.operands()[0], point), after = evaluate(rounding, point);
      return before && after && *before == *after;
    });
  }

  std::span<const Binding> points_;
  std::unordered_map<const Node*, Expression> done_;
  std::vector<Expression> kept_;  // keeps the expressions alive, so that no address in done_ is reused
};

}  // namespace

Expression decide(const Expression& a, std::span<const Binding> points) {
  return Decider(points)(a);
}

}  // namespace parcast::symbolic
