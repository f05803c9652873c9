// SPDX-License-Identifier: Apache-2.0
#include "machine/memory.h"

#include <algorithm>
#include <map>
#include <vector>

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

/// Replaces neighbouring decreasing values by their mean until none decreases (pool adjacent violators). Of
/// runs of equal values, the points at the ends remain.
std::vector<std::pair<double, double>> never_falling(const std::map<double, double>& curve) {
  struct Block {
    double sum = 0, count = 0, first = 0, last = 0;
    double mean() const { return sum / count; }
  };
  std::vector<Block> blocks;
  for (const auto& [bytes, seconds] : curve) {
    blocks.push_back({seconds, 1, bytes, bytes});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back() = {blocks.back().sum + last.sum, blocks.back().count + last.count, blocks.back().first,
                       last.last};
    }
  }
  std::vector<std::pair<double, double>> points;
  for (const Block& block : blocks) {
    points.emplace_back(block.first, block.mean());
    if (block.last > block.first) points.emplace_back(block.last, block.mean());
  }
  return points;
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

Expression streaming_seconds(const Machine& machine, const Expression& footprint, std::int32_t cores) {
  std::int32_t active = 0;  // the largest measured count that is not above `cores`
  for (const WorkingSetPoint& point : machine.working_sets)
    if (point.cores <= std::max(cores, 1)) active = std::max(active, point.cores);
  std::map<double, double> curve;
  for (const WorkingSetPoint& point : machine.working_sets)
    if (point.cores == active && point.bytes > 0 && point.bytes_per_second > 0)
      curve[point.bytes] = 1 / point.bytes_per_second;
  if (curve.empty()) return 0;
  std::vector<std::pair<double, double>> points = never_falling(curve);
  Expression seconds = symbolic::real(points.back().second);
  for (std::size_t i = points.size() - 1; i-- > 0;) {
    const auto [left, low] = points[i];
    const auto [right, high] = points[i + 1];
    const double slope = (high - low) / (right - left);
    const Expression line = slope == 0
                                ? symbolic::real(low)
                                : symbolic::real(low - slope * left) + symbolic::real(slope) * footprint;
    seconds = conditional(number(right) - footprint, line, seconds);
  }
  return conditional(number(points.front().first) - footprint, symbolic::real(points.front().second),
                     seconds);
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

}  // namespace parcast::machine
