// SPDX-License-Identifier: Apache-2.0
#include "model/resolved.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "model/lattice.h"
#include "model/place.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr std::string_view kProcesses = "p";

/// Values of variables by name, including p.
using Values = std::map<std::string, double, std::less<>>;

/// `model` may be constant; then the counts are as well.
template <class AModel, class Visit>
void for_each_count(AModel& model, Visit visit) {
  for (auto& node : model.nodes)
    for (auto* count : {&node.executions, &node.members, &node.messages, &node.bytes, &node.received_bytes,
                        &node.collective_bytes})
      visit(*count);
  for (auto& segment : model.segments) visit(segment.executions);
  for (auto& [name, count] : model.unfollowed) visit(count);
}

double value_at(const Point& point, const std::string& name) {
  if (name == kProcesses) return point.processes;
  const auto at = point.parameters.find(name);
  return at == point.parameters.end() ? NAN : at->second;
}

/// Returns the recorded points at which the open variables have the given values.
template <class ValueOf>
std::vector<Point> recorded_like(const Model& model, const std::vector<std::string>& open, ValueOf value_of) {
  std::vector<Point> like = recorded_points(model);
  std::erase_if(like, [&](const Point& recorded) {
    return !std::ranges::all_of(
        open, [&](const std::string& name) { return value_at(recorded, name) == value_of(name); });
  });
  return like;
}

class Settler {
 public:
  /// Without a point: for any point like the recorded ones.
  Settler(const Model& model, Values fixed, const Point* point)
      : model_(model), fixed_(std::move(fixed)), point_(point) {}

  bool settles(const Count& count) const {
    return count.origin == Origin::ambiguous && knows(count) && agrees(count) && on_lattice(count.open);
  }

  // Returns whether recordings determined the other variables' effects for the values of the open variables
  // here.
  bool knows(const Count& count) const {
    if (count.open.empty()) return true;
    std::vector<double> tuple;
    for (const std::string& name : count.open) {
      const auto value = fixed_.find(name);
      if (value == fixed_.end()) return false;
      tuple.push_back(value->second);
    }
    return std::find(count.settling.begin(), count.settling.end(), tuple) != count.settling.end();
  }

  bool agrees(const Count& count) const {
    const symbolic::Substitution with = substitution(count.open);
    const Expression known = substitute(count.expression, with);
    return std::all_of(count.alternatives.begin(), count.alternatives.end(),
                       [&](const Expression& other) { return substitute(other, with) == known; });
  }

 private:
  bool on_lattice(const std::vector<std::string>& open) const {
    if (!point_) return true;
    const auto known = on_lattice_.find(open);
    if (known != on_lattice_.end()) return known->second;
    const std::vector<Point> like =
        recorded_like(model_, open, [&](const std::string& name) { return value_at(*point_, name); });
    return on_lattice_[open] = !like.empty() && lattice_of(like).contains(*point_);
  }

  bool has_extents_of_parameters(int dimensions) const {
    const auto grid = std::ranges::find(model_.grids, dimensions, &ProcessGrid::dimensions);
    return grid != model_.grids.end() && !grid->parameters.empty();
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
        if (has_extents_of_parameters(d)) continue;
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
  Values fixed_;
  const Point* point_;
  mutable std::map<std::vector<std::string>, bool> on_lattice_;  // by open variables
};

void make_exact(Count& count) {
  count.origin = Origin::exact;
  count.alternatives.clear();
  count.open.clear();
  count.settling.clear();
  count.advice.clear();
}

Values values_of(const Point& point) {
  Values values(point.parameters.begin(), point.parameters.end());
  values[std::string(kProcesses)] = point.processes;
  return values;
}

/// Measures of work are kept positive: at the least recorded value, or 1.
constexpr double kLeastWork = std::numeric_limits<double>::min();

void keep_meaning(Model& model, const Point& point) {
  std::vector<symbolic::Binding> bindings;
  for (const std::int32_t rank : bounded_ranks(point.processes))
    if (auto binding = bind(model, point, rank)) bindings.push_back(std::move(*binding));
  const auto falls_below = [&](const Expression& expression, double least) {
    return std::any_of(bindings.begin(), bindings.end(), [&](const symbolic::Binding& binding) {
      const auto value = symbolic::evaluate(expression, binding);
      return value && *value < least;
    });
  };
  for_each_count(model, [&](Count& count) {
    if (!falls_below(count.expression, 0)) return;
    count.expression = symbolic::max(count.expression, 0);
    if (count.origin == Origin::exact) count.origin = Origin::ambiguous;
  });
  const auto keep_above = [&](std::vector<Expression>& arguments,
                              const std::vector<statistics::ArgumentRange>& ranges) {
    for (std::size_t a = 0; a < arguments.size() && a < ranges.size(); ++a) {
      const double least = std::min(1.0, ranges[a].lowest);
      if (falls_below(arguments[a], kLeastWork))
        arguments[a] = symbolic::max(arguments[a], symbolic::real(least));
    }
  };
  for (Segment& segment : model.segments) keep_above(segment.cost.arguments, segment.cost.growth->ranges);
  for (Residence* bytes : {&model.residence, &model.grown})
    keep_above(bytes->arguments, bytes->growth.ranges);
}

}  // namespace

Model resolved(Model model, const Point& point) {
  const Model as_built = model;
  const Settler settler(as_built, values_of(point), &point);
  const bool in_domain = lattice_of(as_built).in_domain(point);
  for_each_count(model, [&](Count& count) {
    if (in_domain && settler.settles(count)) make_exact(count);
    if (!in_domain && count.origin == Origin::exact) count.origin = Origin::ambiguous;
  });
  keep_meaning(model, point);
  return model;
}

Model resolved_as_recorded(Model model) {
  Values fixed;
  for (const Parameter& parameter : model.parameters)
    if (parameter.values.size() == 1) fixed[parameter.name] = parameter.values.front();
  if (model.processes.size() == 1) fixed[std::string(kProcesses)] = model.processes.front();
  // At the only point that was recorded any formula holds that gives its number.
  if (fixed.size() == model.parameters.size() + 1) return model;
  const Model as_built = model;
  const Settler settler(as_built, fixed, nullptr);
  for_each_count(model, [&](Count& count) {
    if (settler.settles(count)) make_exact(count);
  });
  return model;
}

Model bounded_below(Model model, std::span<const Point> points) {
  for (const Point& point : points) keep_meaning(model, point);
  return model;
}

std::vector<Settling> settlings(const Model& model, const Count& count) {
  std::vector<Settling> out;
  if (count.origin != Origin::ambiguous) return out;
  const std::vector<std::vector<double>> none{{}};
  for (const std::vector<double>& values : count.open.empty() ? none : count.settling) {
    Values fixed;
    for (std::size_t i = 0; i < count.open.size() && i < values.size(); ++i) fixed[count.open[i]] = values[i];
    const std::vector<Point> like =
        recorded_like(model, count.open, [&](const std::string& name) { return fixed.at(name); });
    if (!like.empty() && Settler(model, fixed, nullptr).settles(count))
      out.push_back({count.open, values, lattice_of(like)});
  }
  return out;
}

Settlements::Settlements(const Model& model) : model_(model), domain_(lattice_of(model)) {
  std::map<std::vector<std::string>, std::size_t> numbers;
  for_each_count(model, [&](const Count& count) {
    if (count.origin != Origin::ambiguous) return;
    const auto [known, is_new] = numbers.try_emplace(count.open, groups_.size());
    if (is_new) groups_.push_back({count.open, {}, {}});
    Group& group = groups_[known->second];
    group.members.push_back(&count);
    if (count.open.empty()) group.known[{}];
    for (const std::vector<double>& values : count.settling) group.known[values];
  });
}

// Returns what is known for the point's values of the open variables; null: nothing.
const Settlements::Known* Settlements::known_at(Group& group, const Point& point) const {
  std::vector<double> tuple;
  for (const std::string& name : group.open) {
    const double value = value_at(point, name);
    if (std::isnan(value)) return nullptr;
    tuple.push_back(value);
  }
  const auto found = group.known.find(tuple);
  if (found == group.known.end()) return nullptr;
  if (!found->second) {
    found->second = std::make_unique<Known>();
    Known& known = *found->second;
    const Settler settler(model_, values_of(point), &point);
    for (const Count* count : group.members)
      known.agrees.push_back(settler.knows(*count) && settler.agrees(*count));
    const std::vector<Point> like =
        recorded_like(model_, group.open, [&](const std::string& name) { return value_at(point, name); });
    known.recorded = !like.empty();
    known.lattice = lattice_of(like);
  }
  return found->second.get();
}

std::string Settlements::at(const Point& point) const {
  const std::lock_guard lock(guard_);
  if (!domain_.in_domain(point)) return "outside";
  std::string out;
  for (Group& group : groups_) {
    const Known* known = known_at(group, point);
    const bool settles = known && known->recorded && known->lattice.contains(point);
    for (std::size_t i = 0; i < group.members.size(); ++i) out += settles && known->agrees[i] ? '1' : '0';
  }
  return out;
}

bool Settlements::held_back_by_lattice(const Point& point) const {
  const std::lock_guard lock(guard_);
  return std::ranges::any_of(groups_, [&](Group& group) {
    const Known* known = known_at(group, point);
    const bool is_off = known && !(known->recorded && known->lattice.contains(point));
    return is_off && std::ranges::find(known->agrees, true) != known->agrees.end();
  });
}

std::vector<Bounded> bounded_of(const Model& model) {
  std::vector<Bounded> out;
  for_each_count(model, [&](const Count& count) { out.push_back({count.expression, 0}); });
  const auto add = [&](const std::vector<Expression>& arguments,
                       const std::vector<statistics::ArgumentRange>& ranges) {
    for (std::size_t a = 0; a < arguments.size() && a < ranges.size(); ++a)
      out.push_back({arguments[a], kLeastWork});
  };
  for (const Segment& segment : model.segments) add(segment.cost.arguments, segment.cost.growth->ranges);
  for (const Residence* bytes : {&model.residence, &model.grown}) add(bytes->arguments, bytes->growth.ranges);
  return out;
}

std::vector<std::int32_t> bounded_ranks(std::int32_t processes) {
  std::set<std::int32_t> ranks;
  for (const std::int32_t r : {0, 1, processes / 2, processes - 2, processes - 1})
    if (r >= 0 && r < processes) ranks.insert(r);
  return {ranks.begin(), ranks.end()};
}

}  // namespace parcast::program
