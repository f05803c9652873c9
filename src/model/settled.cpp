// SPDX-License-Identifier: Apache-2.0
#include "model/settled.h"

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

template <class Visit>
void for_each_count(Model& model, Visit visit) {
  for (Node& node : model.nodes)
    for (Count* count : {&node.executions, &node.members, &node.messages, &node.bytes, &node.received_bytes,
                         &node.collective_bytes})
      visit(*count);
  for (Segment& segment : model.segments) visit(segment.executions);
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
  std::erase_if(like, [&](const Point& recorded) { return !std::ranges::all_of(open, [&](const std::string& name) { return value_at(recorded, name) == value_of(name); }); });
  return like;
}

class Settler {
 public:
  /// Without a point: for any point like the recorded ones.
  Settler(const Model& model, Values fixed, const Point* point) : model_(model), fixed_(std::move(fixed)), point_(point) {}

  bool settles(const Count& count) const {
    return count.origin == Origin::ambiguous && knows(count) && agrees(count) && on_lattice(count.open);
  }
  bool settles_on_lattice(const Count& count) const {
    return count.origin == Origin::ambiguous && knows(count) && agrees(count) && !on_lattice(count.open);
  }

 private:
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

  bool on_lattice(const std::vector<std::string>& open) const {
    if (!point_) return true;
    const auto known = on_lattice_.find(open);
    if (known != on_lattice_.end()) return known->second;
    const std::vector<Point> like = recorded_like(model_, open, [&](const std::string& name) { return value_at(*point_, name); });
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

// Returns the first, middle and last ranks and some of their neighbours.
std::vector<std::int32_t> some_ranks(std::int32_t processes) {
  std::set<std::int32_t> ranks;
  for (const std::int32_t r : {0, 1, processes / 2, processes - 2, processes - 1})
    if (r >= 0 && r < processes) ranks.insert(r);
  return {ranks.begin(), ranks.end()};
}

void keep_meaning(Model& model, const Point& point) {
  std::vector<symbolic::Binding> bindings;
  for (const std::int32_t rank : some_ranks(point.processes))
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
  const auto keep_above = [&](std::vector<Expression>& arguments, const std::vector<statistics::ArgumentRange>& ranges) {
    for (std::size_t a = 0; a < arguments.size() && a < ranges.size(); ++a) {
      const double least = std::min(1.0, ranges[a].lowest);
      if (falls_below(arguments[a], std::numeric_limits<double>::min())) arguments[a] = symbolic::max(arguments[a], symbolic::real(least));
    }
  };
  for (Segment& segment : model.segments) keep_above(segment.cost.arguments, segment.cost.growth->ranges);
  keep_above(model.residence.arguments, model.residence.growth.ranges);
}

}  // namespace

Model settled(Model model, const Point& point) {
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

Model settled_as_recorded(Model model) {
  Values fixed;
  for (const Parameter& parameter : model.parameters)
    if (parameter.values.size() == 1) fixed[parameter.name] = parameter.values.front();
  if (model.processes.size() == 1) fixed[std::string(kProcesses)] = model.processes.front();
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
    const std::vector<Point> like = recorded_like(model, count.open, [&](const std::string& name) { return fixed.at(name); });
    if (!like.empty() && Settler(model, fixed, nullptr).settles(count)) out.push_back({count.open, values, lattice_of(like)});
  }
  return out;
}

bool held_back_by_lattice(const Model& model, const Point& point) {
  const Settler settler(model, values_of(point), &point);
  bool any = false;
  Model copy = model;
  for_each_count(copy, [&](const Count& count) { any = any || settler.settles_on_lattice(count); });
  return any;
}

}  // namespace parcast::program
