// SPDX-License-Identifier: Apache-2.0
#include "machine/memory.h"

#include <algorithm>
#include <cmath>

namespace parcast::machine {
namespace {

using symbolic::Expression;
using symbolic::SymbolKind;

Expression cost_of(const MemoryLevel& level, std::string_view field) {
  return symbolic::symbol("memory." + level.name + "." + std::string(field), SymbolKind::machine_cost);
}

Expression seconds_at(const MemoryLevel& level, const Expression& bytes, Sharing sharing) {
  const bool shared = sharing == Sharing::all_cores && level.shared_bandwidth.value > 0;
  return bytes / cost_of(level, shared ? "shared_bandwidth" : "bandwidth");
}

Expression number(double value) {
  return Expression(symbolic::nearest_rational(value, 1).value_or(symbolic::Rational(0)));
}

/// `member` of the points with `cores`, at `bytes` by linear interpolation over log2(bytes); constant beyond
/// the ends.
std::optional<double> interpolate(const Machine& machine, double bytes, std::int32_t cores,
                                  double WorkingSetPoint::*member) {
  std::vector<std::pair<double, double>> curve;
  for (const WorkingSetPoint& point : machine.working_sets)
    if (point.cores == cores && point.bytes > 0 && point.*member > 0)
      curve.emplace_back(point.bytes, point.*member);
  if (curve.empty()) return std::nullopt;
  std::sort(curve.begin(), curve.end());
  if (bytes <= curve.front().first) return curve.front().second;
  if (bytes >= curve.back().first) return curve.back().second;
  const auto above = std::upper_bound(curve.begin(), curve.end(), std::pair(bytes, HUGE_VAL));
  const auto below = above - 1;
  const double part = std::log2(bytes / below->first) / std::log2(above->first / below->first);
  return below->second + part * (above->second - below->second);
}

}  // namespace

Expression transfer_seconds(const Machine& machine, const Expression& bytes, const Expression& footprint,
                            Sharing sharing) {
  std::vector<const MemoryLevel*> levels;
  for (const MemoryLevel& level : machine.memory)
    if (level.bandwidth.value > 0) levels.push_back(&level);
  if (levels.empty()) return 0;
  Expression seconds = seconds_at(*levels.back(), bytes, sharing);
  for (std::size_t i = levels.size() - 1; i-- > 0;) {
    if (levels[i]->capacity.value <= 0) continue;
    const Expression room = cost_of(*levels[i], "capacity") - footprint;
    seconds = conditional(room, seconds_at(*levels[i], bytes, sharing), seconds);
  }
  return seconds;
}

Expression misses(const Machine& machine, std::string_view level, const Expression& bytes,
                  const Expression& footprint) {
  for (const MemoryLevel& known : machine.memory) {
    if (known.name != level || known.capacity.value <= 0) continue;
    return conditional(cost_of(known, "capacity") - footprint, 0, bytes / number(machine.cache_line));
  }
  return 0;
}

Expression page_faults(const Machine& machine, const Expression& bytes, const Expression& footprint) {
  if (machine.memory_per_node <= 0) return 0;
  return conditional(number(machine.memory_per_node) - footprint, 0, bytes / number(machine.page));
}

std::optional<double> load_seconds(const Machine& machine, double bytes, std::int32_t cores) {
  return interpolate(machine, bytes, cores, &WorkingSetPoint::seconds_per_load);
}

std::optional<double> bandwidth(const Machine& machine, double bytes, std::int32_t cores) {
  return interpolate(machine, bytes, cores, &WorkingSetPoint::bytes_per_second);
}

}  // namespace parcast::machine
