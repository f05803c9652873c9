// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/recorded_lines.h"

#include <algorithm>

namespace parcast::program {

bool is_evidence(const Design& design, const Group& group, const Scope& scope) {
  if (group.cell_count != static_cast<std::size_t>(group.processes)) return false;
  for (std::size_t v = 0; v < scope.size(); ++v)
    if (scope[v] && design.value(group, v) != *scope[v]) return false;
  return true;
}

bool is_fixed(const Scope& scope, std::size_t variable) {
  return variable < scope.size() && scope[variable];
}

std::size_t distinct_values(const Design& design, std::size_t variable, const Scope& scope) {
  std::set<double> values;
  for (const Group& group : design.groups)
    if (is_evidence(design, group, scope)) values.insert(design.value(group, variable));
  return values.size();
}

std::map<std::vector<double>, std::vector<std::size_t>> groups_on_lines(
    const Design& design, std::size_t variable, const Scope& scope, const std::set<std::size_t>& ignored) {
  std::map<std::vector<double>, std::vector<std::size_t>> by_rest;
  for (std::size_t g = 0; g < design.groups.size(); ++g) {
    if (!is_evidence(design, design.groups[g], scope)) continue;
    std::vector<double> rest;
    for (std::size_t v = 0; v < design.variables(); ++v)
      if (v != variable && !ignored.contains(v)) rest.push_back(design.value(design.groups[g], v));
    std::vector<std::size_t>& of = by_rest[rest];
    const auto has_its_value = [&](std::size_t other) {
      return design.value(design.groups[other], variable) == design.value(design.groups[g], variable);
    };
    if (ignored.empty() || std::ranges::none_of(of, has_its_value)) of.push_back(g);
  }
  std::erase_if(by_rest, [](const auto& entry) { return entry.second.size() < 3; });
  return by_rest;
}

std::vector<Line> lines_of(const Design& design, std::size_t variable, bool with_rank, const Scope& scope,
                           const std::set<std::size_t>& ignored, std::size_t most) {
  std::vector<Line> lines;
  for (auto& [rest, groups] : groups_on_lines(design, variable, scope, ignored)) {
    std::sort(groups.begin(), groups.end(), [&](std::size_t a, std::size_t b) {
      return design.value(design.groups[a], variable) < design.value(design.groups[b], variable);
    });
    Line first, last;
    for (const std::size_t g : groups) {
      first.cells.push_back(design.groups[g].first_cell);
      last.cells.push_back(design.groups[g].first_cell + design.groups[g].cell_count - 1);
    }
    lines.push_back(first);
    if (with_rank) lines.push_back(last);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.cells.size() > b.cells.size(); });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

namespace {

// Returns whether a recording lies on no line of either variable. It would show their joint effect, whatever
// else differs.
bool crossed_beside_lines(const Design& design, std::size_t one, std::size_t other, const Scope& scope) {
  const auto values_on_lines = [&](std::size_t along, std::size_t fixed) {
    std::set<double> values;
    for (const auto& [rest, groups] : groups_on_lines(design, along, scope))
      values.insert(design.value(design.groups[groups.front()], fixed));
    return values;
  };
  const std::set<double> others = values_on_lines(one, other), ones = values_on_lines(other, one);
  return std::ranges::any_of(design.groups, [&](const Group& group) {
    const auto differs = [&](const std::set<double>& from, std::size_t variable) {
      return std::ranges::any_of(from, [&](double value) { return value != design.value(group, variable); });
    };
    return is_evidence(design, group, scope) && differs(others, other) && differs(ones, one);
  });
}

// Returns whether two values of one variable were recorded at each of two values of the other, with all else
// equal.
bool crossed(const Design& design, std::size_t one, std::size_t other, const Scope& scope) {
  // By the rest and `other`: values of `one`.
  std::map<std::vector<double>, std::map<double, std::set<double>>> seen;
  for (const Group& group : design.groups) {
    if (!is_evidence(design, group, scope)) continue;
    std::vector<double> rest;
    for (std::size_t v = 0; v < design.variables(); ++v)
      if (v != one && v != other) rest.push_back(design.value(group, v));
    seen[rest][design.value(group, other)].insert(design.value(group, one));
  }
  for (const auto& [rest, by_other] : seen)
    for (auto a = by_other.begin(); a != by_other.end(); ++a)
      for (auto b = std::next(a); b != by_other.end(); ++b) {
        const auto common = std::count_if(a->second.begin(), a->second.end(),
                                          [&](double value) { return b->second.contains(value); });
        if (common >= 2) return true;
      }
  return crossed_beside_lines(design, one, other, scope);
}

}  // namespace

bool varied_alone(const Design& design, std::size_t variable, std::size_t needed, const Scope& scope,
                  const std::set<std::size_t>& without_it) {
  const auto lines = groups_on_lines(design, variable, scope);
  if (std::none_of(lines.begin(), lines.end(),
                   [&](const auto& line) { return line.second.size() >= needed; }))
    return false;
  for (std::size_t v = 0; v < design.variables(); ++v)
    if (v != variable && !without_it.contains(v) && distinct_values(design, v, scope) > 1 &&
        !crossed(design, variable, v, scope))
      return false;
  return true;
}

bool has_a_group_off_lines(const Design& design, const Scope& scope) {
  std::set<std::size_t> on_lines;
  for (std::size_t v = 0; v < design.variables(); ++v)
    for (const auto& [rest, groups] : groups_on_lines(design, v, scope))
      on_lines.insert(groups.begin(), groups.end());
  for (std::size_t g = 0; g < design.groups.size(); ++g)
    if (is_evidence(design, design.groups[g], scope) && !on_lines.contains(g)) return true;
  return false;
}

}  // namespace parcast::program
