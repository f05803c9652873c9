// SPDX-License-Identifier: Apache-2.0
#include "build_model/known_rounds.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "build_model/call_place.h"
#include "model/binding.h"
#include "structure/each_step.h"
#include "symbolic/factor.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

class Rounds {
 public:
  Rounds(const Model& model, Structure& structure) : model_(model), structure_(structure) {
    std::map<CallPlace, int> calls;
    for (const Node& node : model.nodes)
      if (node.kind == NodeKind::call) {
        const CallPlace site = place_of(model, node);
        ++calls[site];
        executions_[site] = &node.executions;
      }
    std::erase_if(executions_, [&](const auto& entry) { return calls.at(entry.first) > 1; });
    for_each_step(structure.steps, [&](const Step& step) {
      if (step.kind == Step::Kind::operation) ++uses_[{step.place, step.operation}];
    });
    for (const Source& source : model.sources)
      if (source.processes > 1 && !source.damaged)
        if (auto binding = bind(model, {source.parameters, source.processes}, 0))
          recorded_.push_back(*std::move(binding));
  }

  void take() { take(structure_.steps, Expression(1)); }

 private:
  /// `outer`: executions of these steps.
  void take(std::vector<Step>& steps, const Expression& outer) {
    for (Step& step : steps) {
      const bool is_loop = step.kind == Step::Kind::loop || step.kind == Step::Kind::rounds;
      if (!is_loop || step.guard.kind != Guard::Kind::all) continue;
      if (const Count* counted = counted_in(step.body)) take(*counted, outer, step.rounds);
      take(step.body, outer * step.rounds.expression);
    }
  }

  void take(const Count& counted, const Expression& outer, Count& rounds) {
    const auto per_entry = [&](const Expression& of) { return symbolic::quotient(of, outer); };
    const auto each = per_entry(counted.expression);
    if (!each || *each == rounds.expression || !is_same(*each, rounds.expression)) return;
    rounds.expression = *each;
    rounds.origin = counted.origin;
    rounds.alternatives.clear();
    for (const Expression& alternative : counted.alternatives)
      if (auto other = per_entry(alternative)) rounds.alternatives.push_back(*std::move(other));
    rounds.advice = counted.advice;
  }

  /// Returns the executions of an operation that every rank executes once in each round.
  const Count* counted_in(const std::vector<Step>& body) const {
    for (const Step& step : body) {
      if (step.kind != Step::Kind::operation || step.place == trace::kNowhere ||
          step.guard.kind != Guard::Kind::all || uses_.at({step.place, step.operation}) > 1)
        continue;
      const auto at = executions_.find(place_of(structure_.places[step.place]));
      if (at != executions_.end() && at->second->origin <= Origin::ambiguous) return at->second;
    }
    return nullptr;
  }

  bool is_same(const Expression& a, const Expression& b) const {
    for (const symbolic::Binding& at : recorded_) {
      const auto one = symbolic::evaluate(a, at), other = symbolic::evaluate(b, at);
      if (!one || !other || std::abs(*one - *other) > 0.5) return false;
    }
    return !recorded_.empty();
  }

  const Model& model_;
  Structure& structure_;
  std::map<CallPlace, const Count*> executions_;  // of calls at sites of their own
  std::map<std::pair<std::uint32_t, trace::Kind>, int> uses_;
  std::vector<symbolic::Binding> recorded_;
};

}  // namespace

void take_known_rounds(const Model& model, Structure& structure) {
  if (structure.found()) Rounds(model, structure).take();
}

}  // namespace parcast::program
