// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <algorithm>
#include <cmath>

#include "base/number_range.h"
#include "machine/fields.h"
#include "machine/system.h"

namespace parcast::machine {
namespace {

using recording::Pattern;

constexpr std::array kPatterns{
    std::pair{Pattern::barrier, std::string_view("barrier")},
    std::pair{Pattern::broadcast, std::string_view("broadcast")},
    std::pair{Pattern::reduce, std::string_view("reduce")},
    std::pair{Pattern::allreduce, std::string_view("allreduce")},
    std::pair{Pattern::gather, std::string_view("gather")},
    std::pair{Pattern::scatter, std::string_view("scatter")},
    std::pair{Pattern::allgather, std::string_view("allgather")},
    std::pair{Pattern::alltoall, std::string_view("alltoall")},
    std::pair{Pattern::reduce_scatter, std::string_view("reduce_scatter")},
    std::pair{Pattern::scan, std::string_view("scan")},
    std::pair{Pattern::neighbourhood, std::string_view("neighbourhood")},
};

/// Collectives that have a v-variant in MPI.
constexpr std::array kUneven{Pattern::gather, Pattern::scatter, Pattern::allgather, Pattern::alltoall};

std::string shown(double value, Dimension dimension) {
  return format_measure(value, dimension);
}

template <class Unit>
Result<void> check_fields(const Unit& unit, const auto& fields, const std::string& prefix) {
  for (const Field<Unit>& field : fields) {
    const Parameter& parameter = unit.*field.member;
    if (parameter.origin == Origin::unknown && parameter.value == 0) continue;
    const std::string name = prefix + std::string(field.name);
    if (!std::isfinite(parameter.value))
      return Error{std::string(field.name) + " is not a finite number", name, ""};
    if (const auto fault = fault_of(parameter.value); !fault.empty())
      return Error{std::string(field.name) + " is " + shown(parameter.value, field.dimension) + ", " +
                       std::string(fault),
                   name, kRangeHint};
    if (parameter.value < 0 && field.kind != Field<Unit>::Kind::correction)
      return Error{std::string(field.name) + " is " + shown(parameter.value, field.dimension) +
                       ", but a cost or a capacity cannot be negative",
                   name, ""};
    if (field.kind == Field<Unit>::Kind::capacity && parameter.value == 0)
      return Error{std::string(field.name) + " is 0, but must be more than that", name,
                   "leave it out if it is not known"};
    if (!(parameter.standard_error >= 0) || !(parameter.standard_error <= kLargestNumber))
      return Error{
          "the standard error of " + std::string(field.name) + " must be 0 or more, and at most 1e30", name,
          ""};
    if (parameter.samples < 0)
      return Error{"the number of samples of " + std::string(field.name) + " must be 0 or more", name, ""};
  }
  return {};
}

Result<void> check_points(const PatternCost& pattern, const std::string& prefix) {
  for (std::size_t i = 0; i < pattern.points.size(); ++i) {
    const CostPoint& point = pattern.points[i];
    const std::string where = prefix + "points." + std::to_string(i);
    const std::string row = "row " + std::to_string(i + 1) + " of the points of " + pattern.name;
    if (point.processes < 1)
      return Error{row + " has " + std::to_string(point.processes) + " processes", where, ""};
    if (!(point.bytes >= 0) || !std::isfinite(point.bytes))
      return Error{row + " has a size that is not 0 bytes or more", where, ""};
    if (!(point.seconds >= 0) || !std::isfinite(point.seconds))
      return Error{row + " has a time that is not 0 seconds or more", where, ""};
    for (const double number : {point.bytes, point.seconds, point.low, point.high})
      if (const auto fault = fault_of(number); !fault.empty())
        return Error{row + " has a number that is " + std::string(fault), where, kRangeHint};
    if (!(point.standard_error >= 0) || !(point.standard_error <= kLargestNumber) || point.samples < 0)
      return Error{row + " has a negative standard error or number of samples", where, ""};
    if (!(point.low >= 0 && point.high >= point.low) || !std::isfinite(point.high) || point.outliers < 0 ||
        point.outliers > point.samples)
      return Error{row + " has quartiles that do not ascend, or more outliers than samples", where, ""};
  }
  return {};
}

Result<void> check_pieces(const PatternCost& pattern, const std::string& prefix) {
  for (std::size_t i = 0; i < pattern.pieces.size(); ++i) {
    const PatternCost::Piece& piece = pattern.pieces[i];
    const std::string at = prefix + std::to_string(i) + ".";
    if (std::find(kGrowthNames.begin(), kGrowthNames.end(), piece.growth) == kGrowthNames.end()) {
      const std::vector<std::string> known(kGrowthNames.begin(), kGrowthNames.end());
      const std::string guess = did_you_mean(piece.growth, known);
      return Error{"\"" + piece.growth + "\" is not a growth with the number of processes", at + "growth",
                   guess.empty() ? "known are " + join(known, ", ") : guess};
    }
    if (!is_in_range(piece.from_bytes) || piece.from_bytes < 0)
      return Error{"a piece starts at a size that is not 0 bytes or more", at + "from_bytes", ""};
    if (i == 0 && piece.from_bytes != 0)
      return Error{"the first piece of " + pattern.name + " starts at " +
                       shown(piece.from_bytes, Dimension::data) + ", but must start at 0B",
                   at + "from_bytes", ""};
    if (i > 0 && piece.from_bytes <= pattern.pieces[i - 1].from_bytes)
      return Error{"this piece of " + pattern.name + " starts at " +
                       shown(piece.from_bytes, Dimension::data) + ", but the one before it at " +
                       shown(pattern.pieces[i - 1].from_bytes, Dimension::data),
                   at + "from_bytes", "write the pieces from small messages to large ones"};
    PARCAST_TRY(check_fields(piece, kPieceFields, at));
  }
  return {};
}

Result<void> check_corrections(const PatternCost& pattern, const std::string& prefix) {
  for (std::size_t i = 0; i < pattern.corrections.size(); ++i) {
    const PatternCost::Correction& knot = pattern.corrections[i];
    const std::string where = prefix + "corrections." + std::to_string(i),
                      row = "row " + std::to_string(i + 1) + " of the corrections of " + pattern.name;
    if (knot.processes < 2)
      return Error{row + " has " + std::to_string(knot.processes) + " processes", where,
                   "corrections are of calls on two processes or more"};
    if (!(knot.bytes >= 0) || !is_in_range(knot.bytes))
      return Error{row + " has a size that is not 0 bytes or more", where, ""};
    if (!is_in_range(knot.seconds))
      return Error{row + " has seconds that are no number", where,
                   "seconds more, or with a minus less, than the pieces give"};
    if (i == 0) continue;
    const PatternCost::Correction& before = pattern.corrections[i - 1];
    if (std::pair(before.processes, before.bytes) >= std::pair(knot.processes, knot.bytes))
      return Error{row + " is not above the one before it", where,
                   "order the rows by processes, then by bytes, each once"};
  }
  return {};
}

Result<void> check_counts(const Machine& machine) {
  if (machine.nodes < 1)
    return Error{"nodes is " + std::to_string(machine.nodes) + ", but must be 1 or more", "nodes", ""};
  if (machine.cores_per_node < 1)
    return Error{"cores_per_node is " + std::to_string(machine.cores_per_node) + ", but must be 1 or more",
                 "cores_per_node", ""};
  if (machine.sockets_per_node < 1)
    return Error{
        "sockets_per_node is " + std::to_string(machine.sockets_per_node) + ", but must be 1 or more",
        "sockets_per_node", ""};
  if (machine.threads_per_core < 1 || machine.memories_per_node < 1)
    return Error{"a core has 1 thread or more, and a node 1 memory or more",
                 machine.threads_per_core < 1 ? "threads_per_core" : "memories_per_node", ""};
  for (const auto& [name, bytes] : {std::pair{"memory_per_node", machine.memory_per_node},
                                    {"cache_line", machine.cache_line},
                                    {"page", machine.page}})
    if (!(bytes >= 0) || !is_in_range(bytes))
      return Error{std::string(name) + " must be 0B (unknown) or more, and at most 1e30 bytes", name, ""};
  for (const auto& [names, value] : machine.covariance)
    if (!(std::fabs(value) <= kLargestNumber * kLargestNumber))
      return Error{"the covariance of " + names.first + " and " + names.second + " is larger than 1e60",
                   "covariance", ""};
  for (const WorkingSetPoint& point : machine.working_sets)
    for (const double number : {point.bytes, point.seconds_per_load, point.bytes_per_second})
      if (!(number >= 0) || !is_in_range(number))
        return Error{"a number of a working set must be 0, or from 1e-30 to 1e30", "working_sets", ""};
  return {};
}

Result<void> check_links(const Machine& machine) {
  for (const auto& [name, link] : machine.links) {
    if (std::find(kLinkNames.begin(), kLinkNames.end(), name) == kLinkNames.end()) {
      const std::vector<std::string> known(kLinkNames.begin(), kLinkNames.end());
      const std::string guess = did_you_mean(name, known);
      return Error{"\"" + name + "\" is not a link", "links." + name,
                   guess.empty() ? "known are " + join(known, ", ") : guess};
    }
    PARCAST_TRY(check_fields(link, kLinkFields, "links." + name + "."));
    for (std::size_t i = 0; i < link.corrections.size(); ++i) {
      const std::string at = "links." + name + "." + std::to_string(i) + ".";
      const double from = link.corrections[i].from_bytes;
      if (!is_in_range(from) || from < 0 || (i > 0 && from <= link.corrections[i - 1].from_bytes))
        return Error{"the corrections of links." + name + " must go from small messages to large ones",
                     at + "from_bytes", ""};
      PARCAST_TRY(check_fields(link.corrections[i], kCorrectionFields, at));
    }
  }
  return {};
}

Result<void> check_memory(const Machine& machine) {
  for (std::size_t i = 0; i < machine.memory.size(); ++i) {
    const MemoryLevel& level = machine.memory[i];
    const std::string at = "memory." + level.name + ".";
    if (level.name.empty())
      return Error{"a memory level has no name", "memory." + std::to_string(i), "for example name = \"L1\""};
    PARCAST_TRY(check_fields(level, kMemoryFields, at));
    if (i > 0 && level.capacity.value > 0 && level.capacity.value <= machine.memory[i - 1].capacity.value)
      return Error{
          "the capacity of " + level.name + " is not larger than that of " + machine.memory[i - 1].name,
          at + "capacity", "list the levels from the core outwards"};
  }
  return {};
}

Result<void> check_operations(const Machine& machine) {
  std::vector<std::string> seen;
  for (const OperationCost& operation : machine.operations) {
    const std::string at = "operations." + operation.name;
    if (std::find(seen.begin(), seen.end(), operation.name) != seen.end())
      return Error{"the operation " + operation.name + " occurs twice", at, "keep one of the two"};
    seen.push_back(operation.name);
    PARCAST_TRY(check_fields(operation, kOperationFields, at + "."));
  }
  std::int32_t before = 0;
  for (const ThreadCost& team : machine.openmp) {
    const std::string at = "openmp." + std::to_string(team.threads);
    if (team.threads <= before)
      return Error{"the teams of threads must ascend", at,
                   "list each number of threads once, from few to many"};
    before = team.threads;
    PARCAST_TRY(check_fields(team, kThreadFields, at + "."));
  }
  return {};
}

/// Checks that each source names a parameter of the machine.
Result<void> check_sources(const Machine& machine) {
  if (machine.sources.empty()) return {};
  std::vector<std::string> known{"nodes",
                                 "cores_per_node",
                                 "sockets_per_node",
                                 "threads_per_core",
                                 "memories_per_node",
                                 "memory_per_node",
                                 "cache_line",
                                 "page",
                                 "working_sets",
                                 "collectives",
                                 "network",
                                 "extrap"};
  if (machine.system) known.emplace_back("system");
  Machine copy = machine;
  for (const NamedParameter& named : parameters(copy)) known.push_back(named.name);
  const auto begins = [](std::string_view whole, std::string_view part) {
    return whole == part || (whole.starts_with(part) && whole[part.size()] == '.');
  };
  for (const auto& [name, text] : machine.sources) {
    const std::string& of = name;
    if (std::any_of(known.begin(), known.end(), [&](const std::string& each) {
          return begins(each, of) || (each.find('.') == std::string::npos && begins(of, each));
        }))
      continue;
    const std::string guess = did_you_mean(name, known);
    return Error{
        "\"" + name + "\" is nothing that could have a source", "sources." + name,
        guess.empty() ? "name a parameter of this machine or its beginning, such as links.network" : guess};
  }
  return {};
}

template <class Unit>
void list_fields(Unit& unit, const auto& fields, const std::string& prefix,
                 std::vector<NamedParameter>& into) {
  for (const Field<Unit>& field : fields)
    into.push_back({prefix + std::string(field.name), field.dimension, &(unit.*field.member)});
}

}  // namespace

std::string_view pattern_name(Pattern pattern) {
  for (const auto& [known, name] : kPatterns)
    if (known == pattern) return name;
  return "";
}

std::optional<Pattern> pattern_from(std::string_view name) {
  for (const auto& [pattern, known] : kPatterns)
    if (known == name) return pattern;
  return std::nullopt;
}

std::optional<Priced> priced_by(std::string_view table) {
  if (const auto pattern = pattern_from(table)) return Priced{*pattern, false};
  if (!table.ends_with('v')) return std::nullopt;
  const auto pattern = pattern_from(table.substr(0, table.size() - 1));
  if (!pattern || std::find(kUneven.begin(), kUneven.end(), *pattern) == kUneven.end()) return std::nullopt;
  return Priced{*pattern, true};
}

std::string table_name(Pattern pattern, bool uneven) {
  return std::string(pattern_name(pattern)) + (uneven ? "v" : "");
}

bool has_core_share(const Machine& machine) {
  return machine.core_share.origin != Origin::unknown && machine.core_share.value < 1;
}

const PatternCost* table_for(const Machine& machine, Pattern pattern, bool uneven) {
  if (pattern == Pattern::none) return nullptr;
  const PatternCost* regular = nullptr;
  for (const PatternCost& table : machine.patterns) {
    if (table.pattern != pattern || table.pieces.empty()) continue;
    if (table.uneven == uneven) return &table;
    if (!table.uneven && !regular) regular = &table;
  }
  return regular;
}

double overlap_share(const Parameter& measured) {
  return std::clamp(measured.value, 0.0, 1.0);
}

double growth_value(std::string_view growth, double processes) {
  if (growth == "log2") return std::log2(processes);
  if (growth == "ceil_log2") return std::ceil(std::log2(processes));
  if (growth == "linear") return processes;
  if (growth == "peers") return processes - 1;
  if (growth == "sqrt") return std::sqrt(processes);
  return growth == "1" ? 1 : 0;
}

std::string_view growth_formula(std::string_view growth) {
  if (growth == "log2") return "log2 p";
  if (growth == "ceil_log2") return "ceil(log2 p)";
  if (growth == "linear") return "p";
  if (growth == "peers") return "(p - 1)";
  return growth == "sqrt" ? "sqrt p" : "";
}

std::vector<NamedParameter> parameters(Machine& machine) {
  std::vector<NamedParameter> out;
  list_fields(machine, kMachineFields, "", out);
  for (OperationCost& operation : machine.operations)
    list_fields(operation, kOperationFields, "operations." + operation.name + ".", out);
  for (ThreadCost& team : machine.openmp)
    list_fields(team, kThreadFields, "openmp." + std::to_string(team.threads) + ".", out);
  for (MemoryLevel& level : machine.memory)
    list_fields(level, kMemoryFields, "memory." + level.name + ".", out);
  for (auto& [name, link] : machine.links) {
    list_fields(link, kLinkFields, "links." + name + ".", out);
    for (std::size_t i = 0; i < link.corrections.size(); ++i)
      list_fields(link.corrections[i], kCorrectionFields, "links." + name + "." + std::to_string(i) + ".",
                  out);
  }
  if (machine.memory_sharing)
    for (MemorySharing::Point& point : machine.memory_sharing->points)
      list_fields(point, kMemorySharingFields, "memory_sharing." + std::to_string(point.cores) + ".", out);
  if (machine.network) list_fields(*machine.network, kNetworkFields, "network.", out);
  for (PatternCost& pattern : machine.patterns) {
    const std::string prefix = "patterns." + pattern.name + ".";
    list_fields(pattern, kPatternFields, prefix, out);
    for (std::size_t i = 0; i < pattern.pieces.size(); ++i)
      list_fields(pattern.pieces[i], kPieceFields, prefix + std::to_string(i) + ".", out);
  }
  if (machine.system) {
    // copies of the machine share the system; only this copy is to change
    const auto own = std::make_shared<System>(*machine.system);
    machine.system = own;
    add_parameters(*own, out);
  }
  return out;
}

std::map<std::string, Parameter> known_parameters(const Machine& machine) {
  Machine copy = machine;
  std::map<std::string, Parameter> out;
  for (const NamedParameter& named : parameters(copy))
    if (named.parameter->origin != Origin::unknown) out.emplace(named.name, *named.parameter);
  return out;
}

std::string source_of(const Machine& machine, std::string_view name) {
  for (;;) {
    if (const auto found = machine.sources.find(std::string(name)); found != machine.sources.end())
      return found->second;
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos) return "";
    name = name.substr(0, dot);
  }
}

Result<void> check(const Machine& machine) {
  PARCAST_TRY(check_counts(machine));
  PARCAST_TRY(check_sources(machine));
  PARCAST_TRY(check_fields(machine, kMachineFields, ""));
  if (machine.core_share.value > 1)
    return Error{"core_share is " + shown(machine.core_share.value, Dimension::none) +
                     ", but a process has at most a whole core",
                 "core_share", "give a part between 0 and 1"};
  if (machine.core_share.origin != Origin::unknown && machine.core_share.value < 1 &&
      machine.share_period.value <= 0)
    return Error{
        "core_share has no share_period", "core_share",
        "give the time after which a process gets its part anew, for example share_period = \"2ms\""};
  PARCAST_TRY(check_operations(machine));
  PARCAST_TRY(check_memory(machine));
  PARCAST_TRY(check_links(machine));
  if (machine.memory_sharing)
    for (const MemorySharing::Point& point : machine.memory_sharing->points)
      PARCAST_TRY(
          check_fields(point, kMemorySharingFields, "memory_sharing." + std::to_string(point.cores) + "."));
  if (machine.network) PARCAST_TRY(check_fields(*machine.network, kNetworkFields, "network."));
  std::vector<std::string> seen;
  for (const PatternCost& pattern : machine.patterns) {
    const std::string prefix = "patterns." + pattern.name + ".";
    if (pattern.name.empty())
      return Error{"a pattern has no name", "patterns", "for example name = \"allreduce\""};
    if (std::find(seen.begin(), seen.end(), pattern.name) != seen.end())
      return Error{"the pattern " + pattern.name + " occurs twice", prefix + "name", "keep one of the two"};
    seen.push_back(pattern.name);
    PARCAST_TRY(check_fields(pattern, kPatternFields, prefix));
    PARCAST_TRY(check_pieces(pattern, prefix));
    PARCAST_TRY(check_corrections(pattern, prefix));
    PARCAST_TRY(check_points(pattern, prefix));
  }
  return {};
}

Machine extrap_machine() {
  Machine machine;
  machine.name = "extrap-table-1";
  machine.description = "the barrier of Table 1 of the paper on ExtraP (1995), all else free";
  machine.nodes = 1 << 20;
  machine.extrap = extrap_table_1();
  return machine;
}

Machine ideal_machine() {
  const Parameter free{0, 0, 0, Origin::assumed};
  Machine machine;
  machine.name = "ideal";
  machine.description = "communication is free, cores are those of the recordings";
  machine.nodes = 1 << 20;
  for (const auto name : {"node", "network"}) {
    Link& link = machine.links[name];
    for (const auto& field : kLinkFields)
      if (field.member != &Link::eager_limit && field.kind == Field<Link>::Kind::cost)
        link.*field.member = free;
  }
  machine.noise = free;
  return machine;
}

}  // namespace parcast::machine
