// SPDX-License-Identifier: Apache-2.0
#include "report/machine_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "base/text.h"
#include "machine/curves.h"
#include "machine/measured.h"
#include "machine/pattern_cost.h"
#include "report/machine_text.h"
#include "report/parameter_text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using machine::Machine;
using machine::MemoryLevel;
using machine::Parameter;
using machine::PatternCost;

constexpr std::size_t kMostWarnings = 3;
constexpr double kSmall = 8, kLarge = 1e6;  // bytes of the calls shown

/// Returns the level from which data beyond all caches come: the last one with a bandwidth. Null: none.
const MemoryLevel* outermost(const Machine& machine) {
  const auto at = std::find_if(machine.memory.rbegin(), machine.memory.rend(), [](const MemoryLevel& level) {
    return level.bandwidth.origin != Origin::unknown;
  });
  return at == machine.memory.rend() ? nullptr : &*at;
}

/// Returns the last level with a capacity. Null: none.
const MemoryLevel* last_cache(const Machine& machine) {
  const auto at = std::find_if(machine.memory.rbegin(), machine.memory.rend(), [](const MemoryLevel& level) {
    return level.capacity.origin != Origin::unknown;
  });
  return at == machine.memory.rend() ? nullptr : &*at;
}

std::string cores(const Machine& machine, const Style& style) {
  Table table({{""}, {"one core"}, {"all cores, each"}});
  const auto known = [](const Parameter& parameter) { return parameter.origin != Origin::unknown; };
  if (known(machine.core_speed) || known(machine.shared_core_speed))
    table.add({"core speed", speed_text(machine.core_speed), speed_text(machine.shared_core_speed)});
  const MemoryLevel *level = outermost(machine), *cache = last_cache(machine);
  if (level)
    table.add({level == cache ? level->name + " cache" : level->name,
               parameter_text(level->bandwidth, Dimension::rate),
               parameter_text(level->shared_bandwidth, Dimension::rate)});
  if (cache)
    table.add({"last cache", cache->name + ", " + value_text(cache->capacity.value, Dimension::data), ""});
  std::string out = table.empty() ? "" : "\n" + table.text(style);
  if (known(machine.core_share) && machine.core_share.value < 1 &&
      !machine::error_exceeds_value(machine.core_share))
    out += wrapped(style,
                   "  processes had " + percent_text(machine.core_share) +
                       " of a core each: the host limits them, or other work ran while they were measured",
                   4) +
           "\n";
  return out;
}

/// Returns the processes that a link joins.
std::string joined(std::string_view link) {
  if (link == "core") return "cores of a socket";
  if (link == "socket") return "sockets of a node";
  return link == "node" ? "processes of a node" : "nodes";
}

/// Returns the rate of large messages, with the relative error of its inverse.
Parameter rate_of(const machine::Link& link) {
  const bool rendezvous = link.rendezvous_gap_per_byte.origin != Origin::unknown;
  Parameter out = rendezvous ? link.rendezvous_gap_per_byte : link.gap_per_byte;
  if (!(out.value > 0)) return out;
  out.standard_error /= out.value * out.value;
  out.value = 1 / out.value;
  return out;
}

/// Returns the time of a small message, half of a round trip: both overheads and the latency, whose errors
/// are related.
Parameter small_message(const Machine& machine, const std::string& name, const machine::Link& link) {
  Parameter out = link.latency;
  const std::pair<const char*, const Parameter*> parts[] = {{"latency", &link.latency},
                                                            {"send_overhead", &link.send_overhead},
                                                            {"receive_overhead", &link.receive_overhead}};
  double variance = 0;
  out.value = 0;
  for (const auto& [part, parameter] : parts) {
    if (parameter->origin == Origin::unknown) continue;
    out.value += parameter->value, variance += parameter->standard_error * parameter->standard_error;
    if (out.origin == Origin::unknown) out.origin = parameter->origin;
    for (const auto& [other, unused] : parts) {
      const std::string prefix = "links." + name + ".";
      const auto at = machine.covariance.find({prefix + part, prefix + other});
      if (part != other && at != machine.covariance.end()) variance += 2 * at->second;
    }
  }
  out.standard_error = std::sqrt(std::max(variance, 0.0));
  return out;
}

std::string messages(const Machine& machine, const Style& style) {
  Table table({{"messages between"}, {"small message"}, {"bandwidth"}, {"eager up to"}});
  for (const std::string_view name : machine::kLinkNames)
    if (const auto at = machine.links.find(std::string(name)); at != machine.links.end()) {
      const machine::Link& link = at->second;
      const Parameter rate = rate_of(link);
      table.add(
          {joined(name), parameter_text(small_message(machine, at->first, link), Dimension::time),
           rate.value == 0 ? "unlimited" : parameter_text(rate, Dimension::rate),
           link.eager_limit.origin == Origin::unknown ? "all sizes" : format_bytes(link.eager_limit.value)});
    }
  return table.empty() ? "" : "\n" + table.text(style);
}

/// Returns the largest process count on which all tables were measured; 2 if there is none.
std::int32_t common_processes(const Machine& machine, const std::vector<const PatternCost*>& tables) {
  std::vector<std::int32_t> common;
  for (const PatternCost* table : tables) {
    const auto measured = machine::PatternCurve(machine, *table).measured().processes;
    if (table == tables.front()) common = measured;
    std::erase_if(common, [&](std::int32_t p) { return std::ranges::find(measured, p) == measured.end(); });
  }
  return common.empty() ? 2 : common.back();
}

std::string patterns(const Machine& machine, const std::vector<const PatternCost*>& tables,
                     const Style& style) {
  if (tables.empty()) return "";
  const std::int32_t processes = common_processes(machine, tables);
  std::vector<Column> columns{{counted(processes, "process")}};
  for (const PatternCost* each : tables) columns.push_back({each->name, Column::Align::right});
  Table table(columns);
  for (const double bytes : {kSmall, kLarge}) {
    std::vector<std::string> cells{bytes == kSmall ? "8 B" : "1 MB"};
    for (const PatternCost* each : tables) {
      const bool without_bytes = each->pattern == recording::Pattern::barrier;
      cells.push_back(without_bytes && bytes == kLarge ? ""
                                                       : format_seconds(machine::pattern_seconds(
                                                             *each, processes, without_bytes ? 0 : bytes)));
    }
    table.add(cells);
  }
  return "\n" + table.text(style);
}

std::string certainty(const Machine& machine) {
  std::vector<std::string> parts;
  const auto is_measured = [](const Parameter& parameter) {
    return parameter.origin == Origin::measured && !machine::error_exceeds_value(parameter);
  };
  if (is_measured(machine.noise))
    parts.push_back("equal work varies by " + percent_text(machine.noise) + " in time");
  if (is_measured(machine.drift))
    parts.push_back("the core's speed varies by " + percent_text(machine.drift) + " between launches");
  if (!parts.empty()) return join(parts, ", ");
  return machine.measured_at.empty() ? "nothing was measured here: the values are published or assumed" : "";
}

std::string left_out(const Machine& machine, std::size_t shown) {
  std::vector<std::string> parts;
  if (!machine.operations.empty()) parts.emplace_back("operations");
  if (!machine.openmp.empty()) parts.emplace_back("OpenMP");
  if (std::ranges::any_of(machine.links, [](const auto& each) {
        return each.second.send_overhead.origin != Origin::unknown;
      }))
    parts.emplace_back("overheads of messages");
  if (std::ranges::count_if(machine.memory, machine::is_known) > 1) parts.emplace_back("caches");
  if (machine.memory_sharing) parts.emplace_back("shared memory bandwidth");
  if (machine.network) parts.emplace_back("network");
  if (machine.patterns.size() > shown)
    parts.push_back(counted(static_cast<std::int64_t>(machine.patterns.size() - shown), "pattern"));
  if (!machine.collectives.empty()) parts.emplace_back("algorithms of collectives");
  if (machine.extrap && !machine.links.empty()) parts.emplace_back("ExtraP's model");
  if (!machine.sources.empty()) parts.emplace_back("sources");
  return join(parts, ", ");
}

std::string line(const Style& style, const std::string& text) {
  return text.empty() ? "" : wrapped(style, "  " + text, 4) + "\n";
}

/// Returns the command or option that the note names, e.g. "--budget"; empty if it names none.
std::string action_of(const std::string& note) {
  for (const std::string_view beginning : {" --", "parcast "})
    if (const auto at = note.find(beginning); at != std::string::npos) {
      const auto end = note.find_first_of(" ,;'", at + beginning.size());
      return note.substr(at, end == std::string::npos ? end : end - at);
    }
  return "";
}

}  // namespace

std::string machine_notes(const Machine& machine, const std::string& show, const Style& style) {
  std::string warnings, rest;
  std::set<std::string> actions;
  std::size_t left = 0;
  for (const std::string& note : machine.notes) {
    const std::string action = action_of(note);
    if (!action.empty() && actions.size() < kMostWarnings && actions.insert(action).second)
      warnings += alert(style, wrapped(style, "  ! " + visible(note), 4) + "\n");
    else
      ++left, rest += wrapped(style, "  - " + visible(note), 4) + "\n";
  }
  if (style.notes || left == 0) return warnings + rest;
  return warnings + dim(style, line(style, counted(static_cast<std::int64_t>(left), "more note") + ": " +
                                               show + " --notes"));
}

std::vector<const PatternCost*> usual_patterns(const Machine& machine) {
  std::vector<const PatternCost*> out;
  const auto add = [&](std::string_view name) {
    const auto at = std::ranges::find(machine.patterns, name, &PatternCost::name);
    if (at == machine.patterns.end() || at->pieces.empty()) return false;
    out.push_back(&*at);
    return true;
  };
  for (const char* name : {"broadcast", "allreduce", "barrier", "alltoall", "allgather"}) add(name);
  static_cast<void>(add("exchange") || add("halo2d") || add("halo3d"));
  return out;
}

std::string machine_summary(const Machine& machine, const std::string& show, const Style& style) {
  const std::vector<const PatternCost*> tables = usual_patterns(machine);
  std::string out = machine_head(machine, style) + cores(machine, style) + messages(machine, style) +
                    patterns(machine, tables, style);
  if (machine.links.empty()) out += extrap_table(machine, style);
  out += "\n" + line(style, certainty(machine)) + machine_notes(machine, show, style);
  const std::string rest = left_out(machine, tables.size());
  return rest.empty() ? out : out + dim(style, line(style, "left out: " + rest + ": " + show + " --all"));
}

}  // namespace parcast::report
