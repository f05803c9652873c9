// SPDX-License-Identifier: Apache-2.0
// Assembles one machine from the measurements of all launches.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/number_range.h"
#include "base/text.h"
#include "calibrate/calibrate.h"
#include "calibrate/combine.h"
#include "calibrate/fit_link.h"
#include "calibrate/fit_pattern.h"
#include "calibrate/remarks.h"
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
  // Several nodes on one running system divide it: each has a share of its cores and memory.
  const bool divided = nodes.size() > kernels.size();
  machine.nodes = options.nodes.value_or(std::max<int>(1, static_cast<int>(nodes.size())));
  machine.cores_per_node =
      options.cores_per_node.value_or(divided ? ranks_on_a_node : std::max(first.cores, 1));
  machine.sockets_per_node = divided ? 1 : std::max(first.sockets, 1);
  machine.threads_per_core = std::max(first.threads_per_core, 1),
  machine.memories_per_node = divided ? 1 : std::max(first.memories, 1);
  machine.memory_per_node =
      divided ? std::floor(first.memory / static_cast<double>(nodes.size())) : first.memory;
}

/// Returns how the processes of each launch with two or more processes were placed on nodes. Launches of one
/// count with different placements are listed separately.
std::vector<machine::MeasuredPlacement> placements(const std::vector<Measurements>& launches) {
  std::set<machine::MeasuredPlacement> found;
  for (const Measurements& launch : launches) {
    if (launch.processes < 2 || launch.places.size() != static_cast<std::size_t>(launch.processes)) continue;
    std::map<std::int32_t, std::int32_t> ranks;
    std::int32_t most = 0;
    for (const Place& place : launch.places) most = std::max(most, ++ranks[place.node]);
    found.insert({launch.processes, static_cast<std::int32_t>(ranks.size()), most});
  }
  return {found.begin(), found.end()};
}

Parameter parameter(const Value& value) {
  return {value.value, value.standard_error, value.samples, Origin::measured};
}

/// Sets values of one process, and values of the launch with the most processes that has them.
void set_core(Machine& machine, const std::vector<Measurements>& launches) {
  std::int32_t most = 1, most_overlapping = 1;
  double squares = 0, freedom = 0;  // for the drift, over all process counts
  for (const Measurements& launch : launches)
    for (const Value& value : launch.values) {
      if (value.name == "core_speed") machine.core_speed = parameter(value);
      if (value.name == "noise") machine.noise = parameter(value);
      if (value.name == "drift")
        squares += static_cast<double>(value.samples - 1) * value.value * value.value,
            freedom += static_cast<double>(value.samples - 1);
      if (value.name == "first_touch") machine.first_touch = parameter(value);
      if (value.name == "first_read") machine.first_read = parameter(value);
      if (value.name == "allreduce_overlap" && launch.processes >= most_overlapping)
        machine.allreduce_overlap = parameter(value), most_overlapping = launch.processes;
      if (value.name == "shared_core_speed" && launch.processes >= most)
        machine.shared_core_speed = parameter(value), most = launch.processes;
    }
  if (freedom > 0) {
    const double drift = std::sqrt(squares / freedom);
    machine.drift = {drift, drift / std::sqrt(2 * freedom), static_cast<std::int64_t>(freedom) + 1,
                     Origin::measured};
  }
}

/// Sets the share of a core that processes got while computing: the smallest of any pair whose error does not
/// exceed it.
void set_share(Machine& machine, const std::vector<Measurements>& launches) {
  for (const Measurements& launch : launches)
    for (const Value& value : launch.values) {
      if (!value.name.starts_with("core_share-") || value.value >= 1 || value.standard_error > value.value ||
          (machine.core_share.value > 0 && value.value >= machine.core_share.value))
        continue;
      const std::string period = "share_period-" + value.name.substr(std::string_view("core_share-").size());
      const auto found = std::ranges::find(launch.values, period, &Value::name);
      if (found == launch.values.end()) continue;
      machine.core_share = parameter(value), machine.share_period = parameter(*found);
    }
}

/// Sets the values named like "operations.double_add.dependent" and "openmp.fork_join.4".
void set_operations(Machine& machine, const std::vector<Measurements>& launches) {
  const auto operation = [&](const std::string& name) -> machine::OperationCost& {
    for (auto& each : machine.operations)
      if (each.name == name) return each;
    return machine.operations.emplace_back(machine::OperationCost{name, {}, {}});
  };
  std::map<std::int32_t, machine::ThreadCost> threads;
  for (const Measurements& launch : launches)
    for (const Value& value : launch.values) {
      const std::vector<std::string> parts = split(value.name, '.');
      if (parts.size() != 3) continue;
      if (parts[0] == "operations") {
        machine::OperationCost& cost = operation(parts[1]);
        (parts[2] == "dependent" ? cost.dependent : cost.independent) = parameter(value);
      } else if (const auto count = parse_integer(parts[2]); parts[0] == "openmp" && count) {
        machine::ThreadCost& cost = threads[static_cast<std::int32_t>(*count)];
        cost.threads = static_cast<std::int32_t>(*count);
        (parts[1] == "barrier" ? cost.barrier : cost.fork_join) = parameter(value);
      }
    }
  for (const auto& [count, cost] : threads) machine.openmp.push_back(cost);
}

struct Level {
  std::string name;
  double above = 0, capacity = 0;  // bytes; capacity 0: unlimited
  std::int32_t shared_by = 0;
};

/// Medians by launch of the sweep's points that are well inside a level, with their spread.
struct OfLevel {
  std::vector<double> medians;  // by launch
  double spread = 0;            // standard error of one launch's median, from its points
  std::int64_t points = 0;
};

OfLevel within_level(const std::vector<SweepPoint>& sweep, std::int32_t cores, const Level& level,
                     double SweepPoint::*member) {
  std::map<std::int32_t, std::vector<double>> launches;
  for (const SweepPoint& point : sweep) {
    const bool inside =
        point.bytes >= 1.5 * level.above && (level.capacity == 0 || point.bytes <= 0.75 * level.capacity);
    if (point.cores == cores && inside && point.*member > 0) launches[point.pass].push_back(point.*member);
  }
  OfLevel out;
  for (const auto& [launch, values] : launches) {
    const double median = statistics::median(values);
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::fabs(value - median));
    out.medians.push_back(median), out.points += static_cast<std::int64_t>(values.size());
    out.spread = std::max(out.spread, statistics::kNormalConsistency * statistics::median(deviations) /
                                          std::sqrt(static_cast<double>(values.size())));
  }
  return out;
}

/// Returns the relative standard deviation between launches, over all levels.
double sweep_drift(const std::vector<SweepPoint>& sweep, const std::vector<Level>& levels,
                   double SweepPoint::*member) {
  std::set<std::int32_t> counts;
  for (const SweepPoint& point : sweep) counts.insert(point.cores);
  double sum = 0, freedom = 0;
  for (const std::int32_t cores : counts)
    for (const Level& level : levels) {
      std::vector<double> logs;
      for (const double median : within_level(sweep, cores, level, member).medians)
        logs.push_back(std::log(median));
      if (logs.size() < 2) continue;
      const double free = static_cast<double>(logs.size()) - 1;
      sum += free * std::pow(statistics::moments(logs).standard_deviation, 2), freedom += free;
    }
  return freedom > 0 ? std::sqrt(sum / freedom) : 0;
}

/// Returns the median over the launches. Its error is the spread of the points or of the launches, whichever
/// is larger.
Parameter over_level(const std::vector<SweepPoint>& sweep, std::int32_t cores, const Level& level,
                     double SweepPoint::*member, double drift) {
  const OfLevel found = within_level(sweep, cores, level, member);
  if (found.medians.empty()) return {};
  const double launches = static_cast<double>(found.medians.size()),
               value = statistics::median(found.medians);
  std::vector<double> logs;
  for (const double median : found.medians) logs.push_back(std::log(median));
  const double own = statistics::moments(logs).standard_deviation;
  const double between = launches > 1 ? value * std::max(own, drift) / std::sqrt(launches) : 0;
  return {value, std::max(found.spread / std::sqrt(launches), between), found.points, Origin::measured};
}

/// Sets the total bandwidth that several cores get from the memory beyond the caches, if several numbers of
/// cores were measured.
void set_memory_sharing(Machine& machine, const std::vector<SweepPoint>& sweep, const Level& memory,
                        double drift) {
  std::set<std::int32_t> counts;
  for (const SweepPoint& point : sweep) counts.insert(point.cores);
  machine::MemorySharing sharing;
  for (const std::int32_t cores : counts) {
    Parameter each = over_level(sweep, cores, memory, &SweepPoint::bytes_per_second, drift);
    if (each.origin == Origin::unknown) continue;
    each.value *= cores, each.standard_error *= cores;
    sharing.points.push_back({cores, each});
  }
  if (sharing.points.size() > 1 && sharing.points.front().cores == 1) machine.memory_sharing = sharing;
}

/// Sets the working sets; points of several launches at one size are combined.
void set_working_sets(Machine& machine, const std::vector<SweepPoint>& sweep) {
  std::map<std::pair<std::int32_t, double>, std::pair<std::vector<double>, std::vector<double>>> sizes;
  for (const SweepPoint& point : sweep) {
    auto& [loads, rates] = sizes[{point.cores, point.bytes}];
    loads.push_back(point.seconds_per_load), rates.push_back(point.bytes_per_second);
  }
  for (const auto& [at, values] : sizes)
    machine.working_sets.push_back(
        {at.first, at.second, statistics::median(values.first), statistics::median(values.second)});
}

void set_memory(Machine& machine, const std::vector<Measurements>& launches) {
  std::vector<SweepPoint> sweep;
  for (const Measurements& launch : launches)
    sweep.insert(sweep.end(), launch.sweep.begin(), launch.sweep.end());
  set_working_sets(machine, sweep);
  std::int32_t most = 1;
  for (const SweepPoint& point : sweep) most = std::max(most, point.cores);
  std::vector<Level> levels;
  double above = 0;
  for (const Cache& cache : launches.front().caches)
    levels.push_back({cache.name, above, cache.bytes, cache.shared_by}), above = cache.bytes;
  levels.push_back({"memory", above, 0});
  const double load_drift = sweep_drift(sweep, levels, &SweepPoint::seconds_per_load),
               rate_drift = sweep_drift(sweep, levels, &SweepPoint::bytes_per_second);
  for (const Level& level : levels) {
    machine::MemoryLevel out;
    out.name = level.name, out.shared_by = level.shared_by;
    // The operating system reports the capacity: it has no error, and its origin is not an assumption.
    if (level.capacity > 0) out.capacity = {level.capacity, 0, 1, Origin::measured};
    out.latency = over_level(sweep, 1, level, &SweepPoint::seconds_per_load, load_drift);
    out.bandwidth = over_level(sweep, 1, level, &SweepPoint::bytes_per_second, rate_drift);
    if (most > 1)
      out.shared_bandwidth = over_level(sweep, most, level, &SweepPoint::bytes_per_second, rate_drift);
    machine.memory.push_back(std::move(out));
  }
  set_memory_sharing(machine, sweep, levels.back(), rate_drift);
}

/// Returns all points by table, sorted by processes and bytes.
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

void set_links(Machine& machine, const std::map<std::string, std::vector<TablePoint>>& all,
               const std::vector<Measurements>& launches) {
  std::vector<TablePoint> points;
  std::vector<Value> values;
  for (const auto& [name, list] : all) points.insert(points.end(), list.begin(), list.end());
  for (const Measurements& launch : launches)
    values.insert(values.end(), launch.values.begin(), launch.values.end());
  for (const auto name : machine::kLinkNames) {
    if (!all.contains("message-" + std::string(name))) continue;
    const auto fit = fit_link(std::string(name), points, values);
    if (!fit) {
      machine.notes.push_back(fit.error().what + ", so its parameters are unknown; " + fit.error().hint);
      continue;
    }
    machine.links[std::string(name)] = fit->link;
    const std::string prefix = "links." + std::string(name) + ".";
    for (const auto& each : fit->covariance)
      machine.covariance[{prefix + each.a, prefix + each.b}] = each.value;
    machine.notes.insert(machine.notes.end(), fit->notes.begin(), fit->notes.end());
  }
}

/// Widens the errors of a pattern by the drift. All points of a process count share it, so the fit cannot see
/// it as scatter.
void add_drift(machine::PatternCost& pattern, const std::vector<TablePoint>& points) {
  double drift = 0, single = 0;
  for (const TablePoint& point : points)
    (point.processes == 1 ? single : drift) = std::max(point.processes == 1 ? single : drift, point.drift);
  const auto widen = [](Parameter& parameter, double by) {
    parameter.standard_error = std::hypot(parameter.standard_error, by * parameter.value);
  };
  for (Parameter* each : {&pattern.single_startup, &pattern.single_per_byte}) widen(*each, single);
  for (auto& piece : pattern.pieces)
    for (Parameter* each : {&piece.startup, &piece.startup_growth, &piece.per_byte, &piece.per_byte_growth})
      widen(*each, drift);
}

/// Returns whether the points determine a line. A single size other than 0 does not determine the cost per
/// byte.
bool has_line(const std::vector<TablePoint>& points) {
  const auto differs = [&](const TablePoint& point) { return point.bytes != points.front().bytes; };
  return points.front().bytes == 0 || std::any_of(points.begin(), points.end(), differs);
}

using ByProcesses = std::map<std::int32_t, std::vector<std::string>>;

/// Returns "on 2 processes barrier, scan; on 4 processes scan"; empty if there is nothing.
std::string counts_and_tables(ByProcesses by_processes) {
  std::vector<std::string> parts;
  for (auto& [processes, tables] : by_processes) {
    std::sort(tables.begin(), tables.end());
    tables.erase(std::unique(tables.begin(), tables.end()), tables.end());
    parts.push_back("on " + std::to_string(processes) + (processes == 1 ? " process " : " processes ") +
                    join(tables, ", "));
  }
  return join(parts, "; ");
}

/// Adds a note with everything that no launch had time for; `points` are those of tables that were discarded.
void say_left_out(Machine& machine, const std::vector<Measurements>& launches,
                  const std::vector<TablePoint>& points) {
  ByProcesses by_processes;
  for (const Measurements& launch : launches)
    for (const Omission& left : launch.left_out)
      by_processes[left.processes].push_back(left.table +
                                             (left.bytes > 0 ? " from " + format_bytes(left.bytes) : ""));
  for (const TablePoint& point : points) by_processes[point.processes].push_back(point.table);
  if (const std::string text = counts_and_tables(std::move(by_processes)); !text.empty())
    machine.notes.push_back("the budget ended before these calls: " + text + "; use a longer --budget");
}

void say_rough(Machine& machine, const std::vector<Measurements>& launches) {
  ByProcesses by_processes;
  for (const Measurements& launch : launches)
    if (!launch.rough.empty()) by_processes[launch.processes] = launch.rough;
  if (const std::string text = counts_and_tables(std::move(by_processes)); !text.empty())
    machine.notes.push_back(
        "the machine was too busy for processes to begin at the same moment, so some points are rough: " +
        text);
}

/// Notes the patterns, by the growth that was assumed for them.
void add_assumed_growth(Machine& machine, const std::map<std::string, std::vector<std::string>>& assumed) {
  if (assumed.empty()) return;
  std::vector<std::string> parts;
  std::size_t patterns = 0;
  for (const auto& [growth, names] : assumed) {
    patterns += names.size();
    parts.push_back(std::string(growth == "1" ? "no growth" : machine::growth_formula(growth)) + " for " +
                    join(names, ", "));
  }
  machine.notes.push_back((patterns == 1 ? "1 pattern was" : std::to_string(patterns) + " patterns were") +
                          " measured on fewer than three process counts above 1, so the growth with "
                          "processes is assumed; on more "
                          "cores or nodes, measure with parcast calibrate --processes 1,2,4,8");
  machine.notes.push_back("assumed growth with processes, that of the usual algorithms: " +
                          join(parts, "; "));
}

/// Notes that no level beyond the caches has a bandwidth.
void add_unmeasured_memory(Machine& machine) {
  const auto has_bandwidth = [](const machine::MemoryLevel& level) {
    return level.bandwidth.origin != Origin::unknown;
  };
  const auto last = std::find_if(machine.memory.rbegin(), machine.memory.rend(), has_bandwidth);
  if (last == machine.memory.rend() || last == machine.memory.rbegin()) return;
  machine.notes.push_back("the bandwidth of memory was not measured, so predictions use that of " +
                          last->name + "; use a longer --budget");
}

void set_patterns(Machine& machine, const std::map<std::string, std::vector<TablePoint>>& all,
                  const std::vector<Measurements>& launches) {
  std::map<std::string, std::vector<std::string>> assumed;  // growth -> patterns
  std::vector<TablePoint> given_up;
  for (const auto& [name, points] : all) {
    if (!has_line(points)) {
      given_up.insert(given_up.end(), points.begin(), points.end());
      continue;
    }
    machine::PatternCost pattern;
    pattern.name = name;
    if (const auto priced = machine::priced_by(name))
      pattern.pattern = priced->pattern, pattern.uneven = priced->uneven;
    for (const TablePoint& point : points)
      pattern.points.push_back({point.processes, point.bytes, point.seconds, point.standard_error,
                                point.samples, point.low, point.high, point.outliers});
    if (const std::string growth = fit_pattern(pattern); !growth.empty()) assumed[growth].push_back(name);
    add_drift(pattern, points);
    machine.patterns.push_back(std::move(pattern));
  }
  add_assumed_growth(machine, assumed);
  say_left_out(machine, launches, given_up);
  say_rough(machine, launches);
}

/// Rounds a number so that it can be read back: to six digits in the unit of the file. The remainder of a fit
/// that is too small for a machine's file (docs/formats/numbers.md) becomes 0.
double rounded(double number, Dimension dimension) {
  return std::fabs(number) < kSmallestNumber ? 0 : machine::readable(number, dimension);
}

void round_all(Machine& machine) {
  for (const machine::NamedParameter& named : parameters(machine)) {
    named.parameter->value = rounded(named.parameter->value, named.dimension);
    named.parameter->standard_error = rounded(named.parameter->standard_error, named.dimension);
  }
  for (machine::PatternCost& pattern : machine.patterns) {
    for (auto& piece : pattern.pieces) piece.relative_error = rounded(piece.relative_error, Dimension::none);
    for (auto& knot : pattern.corrections) knot.seconds = rounded(knot.seconds, Dimension::none);
    for (auto& point : pattern.points) {
      point.seconds = rounded(point.seconds, Dimension::none);
      point.standard_error = rounded(point.standard_error, Dimension::none);
      point.low = rounded(point.low, Dimension::none), point.high = rounded(point.high, Dimension::none);
    }
  }
  for (auto& point : machine.working_sets) {
    point.seconds_per_load = rounded(point.seconds_per_load, Dimension::none);
    point.bytes_per_second = rounded(point.bytes_per_second, Dimension::none);
  }
  for (auto& [names, value] : machine.covariance) value = machine::readable(value, Dimension::none);
}

/// Adds the circumstances that affect all numbers, before the notes about single ones.
void add_remarks(Machine& machine, const std::vector<Measurements>& launches) {
  std::vector<std::string> notes;
  for (const Error& remark : remarks(launches)) notes.push_back(remark.what + "; " + remark.hint);
  machine.notes.insert(machine.notes.begin(), notes.begin(), notes.end());
}

}  // namespace

Result<Machine> assemble(const std::vector<Measurements>& all_launches, const Options& options) {
  if (all_launches.empty()) return Error{"nothing was measured", "", ""};
  const std::vector<Measurements> launches = combined(all_launches);
  Machine machine;
  describe(machine, launches, options);
  machine.placements = placements(all_launches);
  set_core(machine, launches);
  set_share(machine, launches);
  set_operations(machine, launches);
  set_memory(machine, launches);
  add_unmeasured_memory(machine);
  const auto all = tables(launches);
  set_links(machine, all, launches);
  set_patterns(machine, all, launches);
  for (const Measurements& launch : launches)
    for (const std::string& note : launch.notes)
      if (std::find(machine.notes.begin(), machine.notes.end(), note) == machine.notes.end())
        machine.notes.push_back(note);
  add_remarks(machine, all_launches);
  round_all(machine);
  PARCAST_TRY(machine::check(machine));
  return machine;
}

}  // namespace parcast::calibrate
