// SPDX-License-Identifier: Apache-2.0
#include "explain/outdone.h"

#include <algorithm>

#include "machine/machine_file.h"

namespace parcast::explain {
namespace {

using machine::Machine;
using machine::NamedParameter;

enum class Comparison { better, alike, other };

bool is_speed(const NamedParameter& parameter) {
  return parameter.dimension == Dimension::rate || parameter.name.ends_with("core_speed");
}

bool is_time(const NamedParameter& parameter) {
  return parameter.dimension == Dimension::time || parameter.dimension == Dimension::time_per_byte;
}

Comparison compare(const NamedParameter& a, const NamedParameter& b) {
  if (a.name != b.name ||
      (a.parameter->origin == Origin::unknown) != (b.parameter->origin == Origin::unknown))
    return Comparison::other;
  if (a.parameter->value == b.parameter->value) return Comparison::alike;
  const bool less = a.parameter->value < b.parameter->value;
  return (is_time(a) && less) || (is_speed(a) && !less) ? Comparison::better : Comparison::other;
}

/// Copies the machine's name and the origin of its numbers.
void take_identity(const Machine& from, Machine& to) {
  to.name = from.name, to.description = from.description, to.measured_at = from.measured_at;
  to.notes = from.notes, to.environment = from.environment, to.sources = from.sources;
}

bool outdoes(Machine a, Machine b) {
  const std::vector<NamedParameter> of_a = parameters(a), of_b = parameters(b);
  if (of_a.size() != of_b.size()) return false;
  bool better = false;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const Comparison each = compare(of_a[i], of_b[i]);
    if (each == Comparison::other) return false;
    better = better || each == Comparison::better;
    *of_a[i].parameter = *of_b[i].parameter;
  }
  take_identity(b, a);
  return better && machine::to_toml(a) == machine::to_toml(b);
}

}  // namespace

std::vector<bool> outdone(std::span<const Machine> machines) {
  std::vector<bool> out;
  for (const Machine& each : machines)
    out.push_back(std::ranges::any_of(
        machines, [&](const Machine& other) { return &other != &each && outdoes(other, each); }));
  return out;
}

}  // namespace parcast::explain
