// SPDX-License-Identifier: Apache-2.0
#include "program/settled.h"

#include <algorithm>
#include <cmath>

#include "program/lattice.h"
#include "program/place.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr std::string_view kProcesses = "p";

/// Values of variables by name, p among them.
using Values = std::map<std::string, double, std::less<>>;

class Settler {
 public:
  Settler(const Model& model, const Values& fixed) : model_(model), fixed_(fixed) {}

  void settle(Count& count) const {
    if (count.origin != Origin::ambiguous || !seen_together(count.open)) return;
    const symbolic::Substitution with = substitution(count.open);
    const Expression known = substitute(count.expression, with);
    const bool one = std::all_of(count.alternatives.begin(), count.alternatives.end(),
                                 [&](const Expression& other) { return substitute(other, with) == known; });
    if (!one) return;
    count.origin = Origin::exact;
    count.alternatives.clear();
    count.open.clear();
    count.advice.clear();
  }

 private:
  bool seen_together(const std::vector<std::string>& variables) const {
    const auto holds = [&](const Source& source, const std::string& name) {
      const auto wanted = fixed_.find(name);
      if (wanted == fixed_.end()) return false;
      if (name == kProcesses) return wanted->second == source.processes;
      const auto had = source.parameters.find(name);
      return had != source.parameters.end() && had->second == wanted->second;
    };
    return std::any_of(model_.sources.begin(), model_.sources.end(), [&](const Source& source) {
      return std::all_of(variables.begin(), variables.end(), [&](const auto& name) { return holds(source, name); });
    });
  }

  symbolic::Substitution substitution(const std::vector<std::string>& variables) const {
    symbolic::Substitution with;
    for (const std::string& name : variables) {
      const double value = fixed_.find(name)->second;
      if (name != kProcesses) {
        if (value == std::floor(value) && std::abs(value) < 9e15)
          with.emplace(name, Expression(static_cast<std::int64_t>(value)));
        continue;
      }
      const auto processes = static_cast<std::int32_t>(value);
      with.emplace(name, Expression(processes));
      if (processes == 1) with.emplace("r", Expression(0));
      for (int d = 1; d <= kMostDimensions; ++d) {
        const auto extents = extents_at(model_.grids, d, processes);
        for (int k = 0; k < d; ++k) {
          const auto extent = extents[static_cast<std::size_t>(k)];
          with.emplace(to_text(extent_symbol(d, k)), Expression(extent));
          if (extent == 1) with.emplace(to_text(coordinate_symbol(d, k)), Expression(0));
        }
      }
    }
    return with;
  }

  const Model& model_;
  const Values& fixed_;
};

Model settle_all(Model model, const Values& fixed) {
  const Settler settler(model, fixed);
  for (Node& node : model.nodes)
    for (Count* count : {&node.executions, &node.members, &node.messages, &node.bytes, &node.received_bytes,
                         &node.collective_bytes})
      settler.settle(*count);
  for (Segment& segment : model.segments) settler.settle(segment.executions);
  for (auto& [name, count] : model.unfollowed) settler.settle(count);
  return model;
}

}  // namespace

Model settled(Model model, const Point& point) {
  Values fixed(point.parameters.begin(), point.parameters.end());
  fixed[std::string(kProcesses)] = point.processes;
  if (!lattice_of(model).contains(point)) return model;
  return settle_all(std::move(model), fixed);
}

Model settled_as_recorded(Model model) {
  Values fixed;
  for (const Parameter& parameter : model.parameters)
    if (parameter.values.size() == 1) fixed[parameter.name] = parameter.values.front();
  if (model.processes.size() == 1) fixed[std::string(kProcesses)] = model.processes.front();
  return settle_all(std::move(model), fixed);
}

}  // namespace parcast::program
