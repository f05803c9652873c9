// SPDX-License-Identifier: Apache-2.0
#include "report/machine_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "machine/measured.h"
#include "machine/network.h"
#include "report/parameter_text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using machine::Machine;
using machine::Parameter;

std::string origin_text(const Parameter& parameter) {
  std::string out(to_string(parameter.origin));
  return parameter.samples > 0 ? out + ", " + counted(parameter.samples, "sample") : out;
}

std::string core_table(const Machine& machine, const Style& style) {
  Table table({{""}, {"", Column::Align::right}, {""}});
  const auto row = [&](const std::string& name, const Parameter& parameter, const std::string& value) {
    if (parameter.origin != Origin::unknown) table.add({name, value, origin_text(parameter)});
  };
  row("core speed", machine.core_speed, speed_text(machine.core_speed));
  row("core speed, all cores active", machine.shared_core_speed, speed_text(machine.shared_core_speed));
  row("share of a core", machine.core_share, percent_text(machine.core_share));
  row("period of that share", machine.share_period, parameter_text(machine.share_period, Dimension::time));
  row("noise", machine.noise, percent_text(machine.noise));
  row("drift between launches", machine.drift, percent_text(machine.drift));
  row("page fault", machine.page_fault, parameter_text(machine.page_fault, Dimension::time));
  row("first write to a page", machine.first_touch, parameter_text(machine.first_touch, Dimension::time));
  row("first read of a page", machine.first_read, parameter_text(machine.first_read, Dimension::time));
  row("MPI_Iallreduce hidden", machine.allreduce_overlap, overlap_text(machine.allreduce_overlap));
  return table.empty() ? "" : "\n" + table.text(style);
}

/// Returns the cost of each operation.
std::string operations_table(const Machine& machine, const Style& style) {
  const auto right = Column::Align::right;
  Table table({{"operation"}, {"waiting for the one before", right}, {"many under way", right}});
  for (const machine::OperationCost& each : machine.operations)
    table.add({each.name, parameter_text(each.dependent, Dimension::time),
               parameter_text(each.independent, Dimension::time)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string openmp_table(const Machine& machine, const Style& style) {
  const auto right = Column::Align::right;
  Table table({{"OpenMP threads", right}, {"empty region", right}, {"barrier", right}});
  for (const machine::ThreadCost& each : machine.openmp)
    table.add({std::to_string(each.threads), parameter_text(each.fork_join, Dimension::time),
               parameter_text(each.barrier, Dimension::time)});
  return table.empty() ? "" : "\n" + table.text(style);
}

/// Returns a column per link and a row per parameter; rows without a value on any link are left out.
std::string links_table(const Machine& machine, const Style& style) {
  struct Row {
    const char* name;
    Parameter machine::Link::*member;
    Dimension dimension;
  };
  using machine::Link;
  // The shares that overlap with computing follow them.
  static constexpr Row kRows[] = {
      {"latency", &Link::latency, Dimension::time},
      {"send overhead", &Link::send_overhead, Dimension::time},
      {"receive overhead", &Link::receive_overhead, Dimension::time},
      {"gap", &Link::gap, Dimension::time},
      {"gap per byte", &Link::gap_per_byte, Dimension::time_per_byte},
      {"send overhead per byte", &Link::send_overhead_per_byte, Dimension::time_per_byte},
      {"receive overhead per byte", &Link::receive_overhead_per_byte, Dimension::time_per_byte},
      {"eager limit", &Link::eager_limit, Dimension::data},
      {"rendezvous latency", &Link::rendezvous_latency, Dimension::time},
      {"rendezvous gap per byte", &Link::rendezvous_gap_per_byte, Dimension::time_per_byte}};
  if (machine.links.empty()) return "";
  std::vector<const Link*> links;
  std::vector<Column> columns{{"messages between"}};
  for (const std::string_view name : machine::kLinkNames)
    if (const auto at = machine.links.find(std::string(name)); at != machine.links.end()) {
      links.push_back(&at->second);
      columns.push_back({at->first, Column::Align::right});
    }
  Table table(columns);
  const auto add = [&](const char* name, const auto& text) {
    std::vector<std::string> cells{name};
    for (const Link* link : links) cells.push_back(text(*link));
    if (std::any_of(cells.begin() + 1, cells.end(), [](const std::string& cell) { return cell != "-"; }))
      table.add(cells);
  };
  for (const Row& row : kRows)
    add(row.name, [&](const Link& link) { return parameter_text(link.*row.member, row.dimension); });
  add("hidden, eager", [](const Link& link) { return overlap_text(link.eager_overlap); });
  add("hidden, rendezvous", [](const Link& link) { return overlap_text(link.rendezvous_overlap); });
  return "\n" + table.text(style);
}

/// Returns the topology with its shape, and the bandwidth of its links.
std::string network_table(const Machine& machine, const Style& style) {
  if (!machine.network) return "";
  const machine::Network& network = *machine.network;
  Table table({{"network"}, {network.topology.empty() ? "" : network.topology, Column::Align::right}, {""}});
  if (const std::string shape = machine::shape_text(network); !shape.empty()) table.add({"shape", shape, ""});
  const auto row = [&](const std::string& name, const Parameter& parameter, Dimension dimension) {
    if (parameter.origin != Origin::unknown)
      table.add({name, parameter_text(parameter, dimension), origin_text(parameter)});
  };
  row("bandwidth of a link", network.bandwidth, Dimension::rate);
  row("bandwidth of a node", network.injection_bandwidth, Dimension::rate);
  row("bandwidth between groups", network.global_bandwidth, Dimension::rate);
  row("latency of a hop", network.hop_latency, Dimension::time);
  row("messages inside a node, all", network.memory_bandwidth, Dimension::rate);
  return "\n" + table.text(style);
}

/// Returns the bandwidth of cores that share memory.
std::string memory_sharing_table(const Machine& machine, const Style& style) {
  if (!machine.memory_sharing) return "";
  const auto right = Column::Align::right;
  Table table(
      {{machine.memory_sharing->by_socket ? "streaming cores of a socket" : "streaming cores of a node",
        right},
       {"bandwidth, together", right},
       {"each", right},
       {""}});
  for (const machine::MemorySharing::Point& point : machine.memory_sharing->points)
    table.add({std::to_string(point.cores), parameter_text(point.bandwidth, Dimension::rate),
               value_text(point.bandwidth.value / point.cores, Dimension::rate),
               origin_text(point.bandwidth)});
  return "\n" + table.text(style);
}

std::string memory_table(const Machine& machine, const Style& style) {
  const auto right = Column::Align::right;
  Table table({{"memory"},
               {"capacity", right},
               {"bandwidth, one core", right},
               {"all cores, each", right},
               {"latency", right}});
  for (const auto& level : machine.memory)
    if (machine::is_known(level))
      table.add({level.name,
                 parameter_text(level.capacity, Dimension::data) +
                     (level.shared_by > 1 ? " for " + std::to_string(level.shared_by) + " cores" : ""),
                 parameter_text(level.bandwidth, Dimension::rate),
                 parameter_text(level.shared_bandwidth, Dimension::rate),
                 parameter_text(level.latency, Dimension::time)});
  return table.empty() ? "" : "\n" + table.text(style);
}

/// Returns e.g. "2.1 us + 0.8 us log2 p" for a startup or a rate.
std::string growth_text(const Parameter& fixed, const Parameter& growing, const std::string& growth,
                        Dimension dimension) {
  const std::string formula(machine::growth_formula(growth));
  if (growing.origin == Origin::unknown || growing.value == 0 || formula.empty())
    return value_text(fixed.value, dimension);
  const std::string second = value_text(growing.value, dimension) + " " + formula;
  return fixed.value == 0 ? second : value_text(fixed.value, dimension) + " + " + second;
}

constexpr double kSmallestError = 1e-9;  // smaller errors are rounding errors of a fit through all its points

std::string patterns_table(const Machine& machine, const Style& style) {
  const auto right = Column::Align::right;
  Table table({{"pattern"},
               {"from", right},
               {"startup", Column::Align::left, Column::Shrink::below},
               {"per byte", Column::Align::left, Column::Shrink::below},
               {"points", right},
               {"off by", right}});
  for (const auto& pattern : machine.patterns) {
    bool first = true;
    for (const auto& piece : pattern.pieces) {
      table.add({first ? pattern.name : "", format_bytes(piece.from_bytes),
                 growth_text(piece.startup, piece.startup_growth, piece.growth, Dimension::time),
                 growth_text(piece.per_byte, piece.per_byte_growth, piece.growth, Dimension::time_per_byte),
                 first ? std::to_string(pattern.points.size()) : "",
                 piece.relative_error < kSmallestError
                     ? "-"
                     : format_significant(100 * piece.relative_error, 2) + " %"});
      first = false;
    }
  }
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string collectives_table(const Machine& machine, const Style& style) {
  Table table({{"collective"}, {"simulated by"}});
  for (const auto& [pattern, choices] : machine.collectives)
    table.add({std::string(machine::pattern_name(pattern)), machine::algorithms_text(choices)});
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string known_text(const std::optional<double>& value, Dimension dimension) {
  if (!value) return "-";
  const bool whole = dimension == Dimension::none && *value == std::floor(*value) && std::fabs(*value) < 1e9;
  return whole ? format_integer(static_cast<long long>(*value)) : value_text(*value, dimension);
}

std::string ratio_text(const machine::Difference& difference) {
  if (!difference.a || !difference.b) return "";
  if (*difference.a == 0) return *difference.b == 0 ? "x1" : "";
  return "x" + format_significant(*difference.b / *difference.a, 3);
}

/// Returns the sources of the values, a line each.
std::string sources_text(const Machine& machine, const Style& style) {
  std::string out;
  for (const auto& [name, source] : machine.sources)
    out += wrapped(style, "  " + visible(name) + ": " + visible(source), 4) + "\n";
  return out.empty() ? "" : "\n" + bold(style, "  sources") + "\n" + out;
}

}  // namespace

ListedMachine listed(const Machine& machine, const std::string& from) {
  const std::string source =
      machine.links.empty() ? "" : machine::source_of(machine, "links." + machine.links.rbegin()->first);
  return {machine.name, from, machine.description, source.substr(0, source.find(';')), ""};
}

std::string machine_list_text(const std::vector<ListedMachine>& machines, const Style& style) {
  Table table({{""}, {""}, {"", Column::Align::left, Column::Shrink::cut_end}});
  std::map<std::string, std::vector<const ListedMachine*>> published;
  std::size_t longest = 0;
  for (const ListedMachine& each : machines) {
    if (each.from == "published")
      published[each.publication].push_back(&each), longest = std::max(longest, columns_of(each.name));
    else
      table.add({each.name, each.from, each.problem.empty() ? each.description : "! " + each.problem});
  }
  std::string out = table.text(style);
  for (const auto& [publication, of_it] : published) {
    out += "\n" + wrapped(style, "  " + visible(publication.empty() ? "without a source" : publication), 4) +
           "\n";
    for (const ListedMachine* each : of_it)
      out += wrapped(style, "    " + padded(visible(each->name), longest) + "  " + visible(each->description),
                     static_cast<int>(longest) + 6) +
             "\n";
  }
  return out;
}

std::string machine_head(const Machine& machine, const Style& style) {
  std::string out = bold(style, visible(machine.name)) + "  " + counted(machine.nodes, "node") + " of " +
                    counted(machine.cores_per_node, "core");
  if (machine.memory_per_node > 0) out += ", " + format_bytes(machine.memory_per_node) + " each";
  out += "\n";
  if (!machine.description.empty()) out += wrapped(style, "  " + visible(machine.description), 2) + "\n";
  if (!machine.measured_at.empty())
    out += "  measured " + visible(machine.measured_at) +
           (machine.launcher.empty() ? "" : " with " + visible(machine.launcher)) + "\n";
  return out;
}

std::string extrap_table(const Machine& machine, const Style& style) {
  if (!machine.extrap) return "";
  static constexpr std::array<const char*, 5> kUnits{"", " us", " us/B", " B", ""};
  const machine::Extrap unset;
  Table table({{"ExtraP's model"}, {"", Column::Align::right}});
  for (std::size_t i = 0; i < machine::kExtrapKeys; ++i) {
    const auto key = static_cast<machine::ExtrapKey>(i);
    const machine::ExtrapField& field = machine::extrap_fields()[i];
    const double value = (*machine.extrap)[key];
    if (value == unset[key]) continue;
    const bool choice = field.unit == machine::ExtrapUnit::choice;
    table.add({std::string(field.name),
               choice ? std::string(field.choices[static_cast<std::size_t>(value)])
                      : format_exact(value) + kUnits[static_cast<std::size_t>(field.unit)]});
  }
  return table.empty() ? "\n  ExtraP's model, all free\n" : "\n" + table.text(style);
}

std::string machine_text(const Machine& machine, const Style& style) {
  std::string out =
      machine_head(machine, style) + core_table(machine, style) + operations_table(machine, style) +
      openmp_table(machine, style) + links_table(machine, style) + network_table(machine, style) +
      memory_table(machine, style) + memory_sharing_table(machine, style) + patterns_table(machine, style) +
      collectives_table(machine, style) + extrap_table(machine, style);
  if (!machine.notes.empty()) out += "\n";
  for (const std::string& note : machine.notes) out += wrapped(style, "  ! " + visible(note), 4) + "\n";
  return out + sources_text(machine, style);
}

std::string machine_changes_text(const std::vector<machine::Difference>& changes, const Style& style) {
  if (changes.empty()) return "  nothing changes\n";
  Table table({{"", Column::Align::left, Column::Shrink::cut_front}, {"", Column::Align::right}, {""}, {""}});
  for (const auto& each : changes)
    table.add({each.name, known_text(each.a, each.dimension), "->", known_text(each.b, each.dimension)});
  return table.text(style);
}

std::string machine_diff_text(const std::string& a, const std::string& b,
                              const machine::Comparison& comparison, const Style& style,
                              const Unresolved& unresolved) {
  const auto right = Column::Align::right;
  Table table({{"parameter", Column::Align::left, Column::Shrink::cut_front},
               {visible(a), right},
               {visible(b), right},
               {visible(b) + " / " + visible(a), right},
               {""}});
  int agree = 0, points = 0, agreeing = 0;
  for (const bool within : {false, true}) {
    for (const auto& each : comparison.parameters) {
      if (each.within_intervals != within) continue;
      agree += within;
      const bool has_a = !unresolved.a.contains(each.name), has_b = !unresolved.b.contains(each.name);
      table.add({each.name, has_a ? known_text(each.a, each.dimension) : kNotMeasured,
                 has_b ? known_text(each.b, each.dimension) : kNotMeasured,
                 has_a && has_b ? ratio_text(each) : "", within ? "within intervals" : ""});
    }
    for (const auto& each : comparison.tables) {
      if ((each.agreeing == each.points) != within) continue;
      points += each.points, agreeing += each.agreeing;
      table.add({each.name + ", " + counted(each.points, "point"), "", "",
                 "x" + format_significant(each.ratio, 3),
                 within ? "within intervals" : std::to_string(each.agreeing) + " within intervals"});
    }
  }
  return (table.empty() ? "" : table.text(style)) + "  " + std::to_string(agree) + " of " +
         counted(static_cast<std::int64_t>(comparison.parameters.size()), "parameter") +
         (points > 0 ? " and " + std::to_string(agreeing) + " of " + counted(points, "measured point") : "") +
         " agree within their intervals\n";
}

}  // namespace parcast::report
