// SPDX-License-Identifier: Apache-2.0
#include "model/lattice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "base/plain_number.h"
#include "base/text.h"
#include "model/run_options.h"

namespace parcast::program {
namespace {

constexpr std::string_view kProcessCount = "p";
constexpr double kMost = 1e15;

std::optional<std::int64_t> whole_value(const Point& point, const std::string& variable) {
  if (variable == kProcessCount) return point.processes;
  const auto at = point.parameters.find(variable);
  if (at == point.parameters.end() || at->second != std::floor(at->second) || std::abs(at->second) > kMost)
    return std::nullopt;
  return static_cast<std::int64_t>(at->second);
}

bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

// Returns the distinct values of a variable; empty if one is not a whole number.
std::vector<std::int64_t> values_of(const std::vector<Point>& points, const std::string& variable) {
  std::set<std::int64_t> values;
  for (const Point& point : points) {
    const auto value = whole_value(point, variable);
    if (!value) return {};
    values.insert(*value);
  }
  return {values.begin(), values.end()};
}

std::vector<std::string> parameters_of(const std::vector<Point>& points) {
  std::vector<std::string> names;
  if (!points.empty())
    for (const auto& [name, value] : points.front().parameters)
      if (name != kProcessCount) names.push_back(name);
  return names;
}

bool divides(const Point& point, const Lattice::Divided& rule) {
  const auto value = whole_value(point, rule.parameter);
  return value && point.processes > 0 && (*value + rule.offset) % point.processes == 0;
}

bool keeps(const Lattice::Residue& rule, const Point& point) {
  const auto value = whole_value(point, rule.variable);
  if (!value) return false;
  return rule.modulus == 0 ? *value == rule.remainder : (*value - rule.remainder) % rule.modulus == 0;
}

bool keeps_power(const std::string& variable, const Point& point) {
  const auto value = whole_value(point, variable);
  return value && is_power_of_two(*value);
}

std::size_t rules_broken(const Lattice& lattice, const Point& point) {
  std::size_t broken = 0;
  for (const auto& rule : lattice.residues) broken += rule.modulus > 1 && !keeps(rule, point);
  for (const auto& variable : lattice.powers_of_two) broken += !keeps_power(variable, point);
  for (const auto& rule : lattice.divided) broken += !divides(point, rule);
  broken += lattice.several && point.processes < 2;
  return broken;
}

}  // namespace

bool Lattice::contains(const Point& point) const {
  return std::all_of(residues.begin(), residues.end(), [&](const Residue& r) { return keeps(r, point); }) &&
         std::all_of(powers_of_two.begin(), powers_of_two.end(),
                     [&](const auto& v) { return keeps_power(v, point); }) &&
         std::all_of(divided.begin(), divided.end(),
                     [&](const auto& rule) { return divides(point, rule); }) &&
         (!several || point.processes > 1) && in_domain(point);
}

bool Lattice::in_domain(const Point& point) const {
  return std::all_of(whole.begin(), whole.end(),
                     [&](const auto& name) { return whole_value(point, name).has_value(); }) &&
         std::none_of(not_negative.begin(), not_negative.end(), [&](const auto& name) {
           const auto at = point.parameters.find(name);
           return at != point.parameters.end() && at->second < 0;
         });
}

Lattice lattice_of(const std::vector<Point>& recorded) {
  Lattice lattice;
  std::vector<std::string> variables = parameters_of(recorded);
  const std::size_t parameters = variables.size();
  variables.emplace_back(kProcessCount);
  const bool parallel =
      std::any_of(recorded.begin(), recorded.end(), [](const Point& point) { return point.processes > 1; });
  for (std::size_t v = 0; v < parameters; ++v)
    if (std::all_of(recorded.begin(), recorded.end(), [&](const Point& point) {
          const auto at = point.parameters.find(variables[v]);
          return at != point.parameters.end() && at->second >= 0;
        }))
      lattice.not_negative.push_back(variables[v]);
  lattice.several =
      !recorded.empty() &&
      std::none_of(recorded.begin(), recorded.end(), [](const Point& point) { return point.processes == 1; });
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const auto values = values_of(recorded, variables[v]);
    if (values.empty()) continue;
    if (v < parameters) lattice.whole.push_back(variables[v]);
    std::int64_t modulus = 0;
    for (const std::int64_t value : values) modulus = std::gcd(modulus, value - values.front());
    const std::int64_t remainder =
        modulus == 0 ? values.front() : ((values.front() % modulus) + modulus) % modulus;
    if (modulus != 1) lattice.residues.push_back({variables[v], modulus, remainder});
    constexpr std::size_t kTelling = 3;
    if (values.size() >= kTelling && std::all_of(values.begin(), values.end(), is_power_of_two))
      lattice.powers_of_two.push_back(variables[v]);
    if (v >= parameters || !parallel || values.size() < 2) continue;
    for (const int offset : {0, -1, 1, -2, 2}) {
      const Lattice::Divided rule{variables[v], offset};
      if (!std::all_of(recorded.begin(), recorded.end(),
                       [&](const Point& point) { return divides(point, rule); }))
        continue;
      lattice.divided.push_back(rule);
      break;
    }
  }
  return lattice;
}

std::vector<Point> recorded_points(const Model& model) {
  std::vector<Point> points;
  for (const Source& source : model.sources)
    if (!source.damaged) points.push_back({source.parameters, source.processes});
  return points;
}

Lattice lattice_of(const Model& model) {
  return lattice_of(recorded_points(model));
}

std::string to_text(const Lattice& lattice) {
  std::vector<std::string> parts;
  for (const auto& variable : lattice.powers_of_two) parts.push_back(variable + " is a power of two");
  for (const auto& rule : lattice.residues) {
    const bool said = std::find(lattice.powers_of_two.begin(), lattice.powers_of_two.end(), rule.variable) !=
                      lattice.powers_of_two.end();
    if (rule.modulus < 2 || said) continue;
    if (rule.modulus == 2) {
      parts.push_back(rule.variable + (rule.remainder == 0 ? " is even" : " is odd"));
      continue;
    }
    parts.push_back(rule.variable + (rule.remainder == 0 ? "" : " - " + std::to_string(rule.remainder)) +
                    " is a multiple of " + std::to_string(rule.modulus));
  }
  std::vector<std::string> divided;
  for (const auto& [parameter, offset] : lattice.divided)
    divided.push_back(parameter +
                      (offset == 0 ? "" : (offset > 0 ? " + " : " - ") + std::to_string(std::abs(offset))));
  if (!divided.empty()) parts.push_back("p divides " + join(divided, " and "));
  if (lattice.several) parts.push_back("p is more than 1");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string advice_off(const Lattice& lattice, const std::vector<Point>& recorded) {
  if (recorded.empty()) return "";
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> choices;  // by parameter
  Point base = recorded.front();
  for (const std::string& name : parameters_of(recorded)) {
    const auto values = values_of(recorded, name);
    if (values.empty()) continue;
    base.parameters[name] = static_cast<double>(values.front());
    if (values.size() > 1)
      choices.push_back({name, {values.front() + 1, values.front() + 3, values.front() + 5}});
  }
  const auto processes = values_of(recorded, std::string(kProcessCount));
  std::set<std::int64_t> counts(processes.begin(), processes.end());
  const ProcessRule rule(recorded);
  for (const std::int32_t p : {3, 5})
    if (processes.size() > 1 && rule.allows(p)) counts.insert(p);
  if (lattice.several) counts.insert(1);
  const std::vector<std::string> names = parameters_of(recorded);
  const std::vector<bool> grid = process_grid(names, recorded);
  // Each parameter makes the same choice. Of these few points, the first one that breaks most rules is
  // returned.
  std::optional<Point> best;
  std::size_t most = 0;
  for (std::size_t k = 0; k < 4; ++k)
    for (const std::int64_t p : counts) {
      Point point = base;
      point.processes = static_cast<std::int32_t>(p);
      if (k > 0)
        for (const auto& [name, values] : choices)
          point.parameters[name] = static_cast<double>(values[k - 1]);
      fit_to_grid(point, names, grid, std::string(kProcessCount));
      const std::size_t broken = rules_broken(lattice, point);
      if (broken <= most) continue;
      most = broken;
      best = point;
    }
  if (!best) return "";
  std::string text = "a recording at p = " + std::to_string(best->processes);
  for (const auto& [name, value] : best->parameters) text += ", " + name + " = " + format_plain(value);
  return text;
}

}  // namespace parcast::program
