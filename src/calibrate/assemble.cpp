// SPDX-License-Identifier: Apache-2.0
// From the measurements of all launches to one machine.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "calibrate/calibrate.h"
#include "calibrate/fit_link.h"
#include "calibrate/fit_pattern.h"
#include "machine/fields.h"
#include "statistics/summary.h"

namespace parcast::calibrate {
namespace {

using machine::Machine;
using machine::Parameter;

void describe(Machine& machine, const std::vector<Measurements>& launches, const Options& options) {
  const Measurements& first = launches.front();
  machine.name = options.name;
  machine.launcher = options.launcher;
  machine.description = first.processor + (first.processor.empty() || first.mpi_library.empty() ? "" : ", ") +
                        first.mpi_library;
  machine.environment = first.environment;
  machine.page = first.page, machine.cache_line = first.cache_line;
  std::set<std::int32_t> nodes, kernels;
  int ranks_on_a_node = 1;
  for (const Measurements& launch : launches) {
    std::map<std::int32_t, int> ranks;
    std::set<std::int32_t> launch_kernels;
    for (const Place& place : launch.places) {
      nodes.insert(place.node), kernels.insert(place.kernel);
      ranks_on_a_node = std::max(ranks_on_a_node, ++ranks[place.node]);
    }
  }
  // Several nodes on one running system are a system divided: each has a share of its cores and memory.
  const bool divided = nodes.size() > kernels.size();
  machine.nodes = options.nodes.value_or(std::max<int>(1, static_cast<int>(nodes.size())));
  machine.cores_per_node =
      options.cores_per_node.value_or(divided ? ranks_on_a_node : std::max(first.cores, 1));
  machine.sockets_per_node = divided ? 1 : std::max(first.sockets, 1);
  machine.memory_per_node =
      divided ? std::floor(first.memory / static_cast<double>(nodes.size())) : first.memory;
}

Parameter parameter(const Value& value) {
  return {value.value, value.standard_error, value.samples, Origin::measured};
}

/// Values of one process, and of the launch that kept the most cores of a node busy.
void set_core(Machine& machine, const std::vector<Measurements>& launches) {
  std::int32_t most = 1;
  for (const Measurements& launch : launches)
    for (const Value& value : launch.values) {
      if (value.name == "core_speed") machine.core_speed = parameter(value);
      if (value.name == "noise") machine.noise = parameter(value);
      if (value.name == "shared_core_speed" && launch.processes >= most)
        machine.shared_core_speed = parameter(value), most = launch.processes;
    }
}

struct Level {
  std::string name;
  double above = 0, capacity = 0;  // capacity 0: no end
};

/// A median over the sweep's points that lie well inside the level; the spread of them is its standard error.
Parameter over_level(const std::vector<machine::WorkingSetPoint>& sweep, std::int32_t cores,
                     const Level& level, double machine::WorkingSetPoint::*member) {
  std::vector<double> values;
  for (const auto& point : sweep) {
    const bool inside =
        point.bytes >= 1.5 * level.above && (level.capacity == 0 || point.bytes <= 0.75 * level.capacity);
    if (point.cores == cores && inside && point.*member > 0) values.push_back(point.*member);
  }
  if (values.empty()) return {};
  const double median = statistics::median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::fabs(value - median));
  const double spread = statistics::kNormalConsistency * statistics::median(deviations);
  return {median, spread / std::sqrt(static_cast<double>(values.size())),
          static_cast<std::int64_t>(values.size()), Origin::measured};
}

/// What so many cores get together of the memory beyond the caches, where several counts of them streamed.
void set_memory_sharing(Machine& machine, const Level& memory) {
  std::set<std::int32_t> counts;
  for (const auto& point : machine.working_sets) counts.insert(point.cores);
  machine::MemorySharing sharing;
  for (const std::int32_t cores : counts) {
    Parameter each = over_level(machine.working_sets, cores, memory, &machine::WorkingSetPoint::bytes_per_second);
    if (each.origin == Origin::unknown) continue;
    each.value *= cores, each.standard_error *= cores;
    sharing.points.push_back({cores, each});
  }
  if (sharing.points.size() > 1 && sharing.points.front().cores == 1) machine.memory_sharing = sharing;
}

void set_memory(Machine& machine, const std::vector<Measurements>& launches) {
  std::int32_t most = 1;
  for (const Measurements& launch : launches)
    for (const SweepPoint& point : launch.sweep) {
      machine.working_sets.push_back(
          {point.cores, point.bytes, point.seconds_per_load, point.bytes_per_second});
      most = std::max(most, point.cores);
    }
  std::stable_sort(
      machine.working_sets.begin(), machine.working_sets.end(),
      [](const auto& a, const auto& b) { return std::pair(a.cores, a.bytes) < std::pair(b.cores, b.bytes); });
  std::vector<Level> levels;
  double above = 0;
  for (const Cache& cache : launches.front().caches)
    levels.push_back({cache.name, above, cache.bytes}), above = cache.bytes;
  levels.push_back({"memory", above, 0});
  for (const Level& level : levels) {
    machine::MemoryLevel out;
    out.name = level.name;
    // What the system says of itself: without an error, and not a person's guess.
    if (level.capacity > 0) out.capacity = {level.capacity, 0, 1, Origin::measured};
    out.latency = over_level(machine.working_sets, 1, level, &machine::WorkingSetPoint::seconds_per_load);
    out.bandwidth = over_level(machine.working_sets, 1, level, &machine::WorkingSetPoint::bytes_per_second);
    if (most > 1)
      out.shared_bandwidth =
          over_level(machine.working_sets, most, level, &machine::WorkingSetPoint::bytes_per_second);
    machine.memory.push_back(std::move(out));
  }
  set_memory_sharing(machine, levels.back());
}

/// All points by table; a table of messages joins no process counts, so its first launch's points stand.
std::map<std::string, std::vector<TablePoint>> tables(const std::vector<Measurements>& launches) {
  std::map<std::string, std::vector<TablePoint>> out;
  for (const Measurements& launch : launches)
    for (const TablePoint& point : launch.points) out[point.table].push_back(point);
  for (auto& [name, points] : out)
    std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
      return std::pair(a.processes, a.bytes) < std::pair(b.processes, b.bytes);
    });
  return out;
}

Result<void> set_links(Machine& machine, const std::map<std::string, std::vector<TablePoint>>& all,
                       const std::vector<Measurements>& launches) {
  std::vector<TablePoint> points;
  std::vector<Value> values;
  for (const auto& [name, list] : all) points.insert(points.end(), list.begin(), list.end());
  for (const Measurements& launch : launches)
    values.insert(values.end(), launch.values.begin(), launch.values.end());
  for (const auto name : machine::kLinkNames) {
    if (!all.contains("message-" + std::string(name))) continue;
    PARCAST_ASSIGN(const LinkFit fit, fit_link(std::string(name), points, values));
    machine.links[std::string(name)] = fit.link;
    const std::string prefix = "links." + std::string(name) + ".";
    for (const auto& each : fit.covariance)
      machine.covariance[{prefix + each.a, prefix + each.b}] = each.value;
    machine.notes.insert(machine.notes.end(), fit.notes.begin(), fit.notes.end());
  }
  return {};
}

void set_patterns(Machine& machine, const std::map<std::string, std::vector<TablePoint>>& all) {
  std::map<std::string, std::vector<std::string>> assumed;  // growth -> patterns
  for (const auto& [name, points] : all) {
    machine::PatternCost pattern;
    pattern.name = name;
    pattern.pattern = machine::pattern_from(name).value_or(recording::Pattern::none);
    for (const TablePoint& point : points)
      pattern.points.push_back(
          {point.processes, point.bytes, point.seconds, point.standard_error, point.samples});
    if (const std::string growth = fit_pattern(pattern); !growth.empty()) assumed[growth].push_back(name);
    machine.patterns.push_back(std::move(pattern));
  }
  for (const auto& [growth, names] : assumed) {
    const std::string formula(growth == "1" ? "no growth" : machine::growth_formula(growth));
    machine.notes.push_back("fewer than three process counts above 1 do not tell how the cost grows with processes: " + formula +
                            ", that of the usual algorithm, was taken for " + join(names, ", "));
  }
}

/// Numbers that a person can read back: six digits in the unit in which the file shows them.
void round_all(Machine& machine) {
  for (const machine::NamedParameter& named : parameters(machine)) {
    named.parameter->value = machine::readable(named.parameter->value, named.dimension);
    named.parameter->standard_error = machine::readable(named.parameter->standard_error, named.dimension);
  }
  for (machine::PatternCost& pattern : machine.patterns) {
    for (auto& piece : pattern.pieces)
      piece.relative_error = machine::readable(piece.relative_error, Dimension::none);
    for (auto& knot : pattern.corrections) knot.seconds = machine::readable(knot.seconds, Dimension::none);
    for (auto& point : pattern.points) {
      point.seconds = machine::readable(point.seconds, Dimension::none);
      point.standard_error = machine::readable(point.standard_error, Dimension::none);
    }
  }
  for (auto& point : machine.working_sets) {
    point.seconds_per_load = machine::readable(point.seconds_per_load, Dimension::none);
    point.bytes_per_second = machine::readable(point.bytes_per_second, Dimension::none);
  }
  for (auto& [names, value] : machine.covariance) value = machine::readable(value, Dimension::none);
}

}  // namespace

Result<Machine> assemble(const std::vector<Measurements>& launches, const Options& options) {
  if (launches.empty()) return Error{"nothing was measured", "", ""};
  Machine machine;
  describe(machine, launches, options);
  set_core(machine, launches);
  set_memory(machine, launches);
  const auto all = tables(launches);
  PARCAST_TRY(set_links(machine, all, launches));
  set_patterns(machine, all);
  for (const Measurements& launch : launches)
    machine.notes.insert(machine.notes.end(), launch.notes.begin(), launch.notes.end());
  round_all(machine);
  PARCAST_TRY(machine::check(machine));
  return machine;
}

}  // namespace parcast::calibrate
