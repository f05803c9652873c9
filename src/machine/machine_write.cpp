// SPDX-License-Identifier: Apache-2.0
// Writes machine files (docs/formats/machine.md). Every number reads back as the same double. The order is
// fixed: equal machines give equal bytes.
#include <array>
#include <cmath>
#include <cstdio>

#include "base/files.h"
#include "machine/fields.h"
#include "machine/machine_file.h"
#include "machine/memory_sharing.h"
#include "machine/network.h"
#include "machine/toml_text.h"

namespace parcast::machine {
namespace {

struct Scale {
  std::string_view name;
  double factor;
};

/// Returns the units in which a value of the dimension is at least 1, the largest first. The base unit,
/// always exact, is the last.
std::vector<Scale> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}};
    case Dimension::data:
      return {{"GiB", 1073741824.}, {"GB", 1e9}, {"MiB", 1048576.}, {"MB", 1e6},
              {"KiB", 1024.},       {"B", 1},    {"B", 1}};
    case Dimension::rate:
      return {{"GB/s", 1e9}, {"MB/s", 1e6}, {"B/s", 1}};
    case Dimension::time_per_byte:
      return {{"us/B", 1e-6}, {"ns/B", 1e-9}, {"s/B", 1}};
    case Dimension::none:
      break;
  }
  return {{"", 1}};
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04X", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Returns a number of a row. Integers beyond 64 bits get a decimal point, without which they would not read
/// back.
std::string row_text(double value) {
  if (value == 0) return "0";
  const std::string text = format_exact(value);
  return text.find_first_of(".e") == std::string::npos && text.size() > 15 ? text + ".0" : text;
}

std::string value_text(double value, Dimension dimension) {
  return dimension == Dimension::none ? row_text(value) : in_quotes(format_measure(value, dimension));
}

std::string parameter_text(const Parameter& parameter, Dimension dimension) {
  const std::string value = value_text(parameter.value, dimension);
  if (parameter.origin == Origin::assumed && parameter.standard_error == 0 && parameter.samples == 0)
    return value;
  std::string out = "{ value = " + value;
  if (parameter.standard_error != 0)
    out += ", standard_error = " + value_text(parameter.standard_error, dimension);
  if (parameter.samples != 0) out += ", samples = " + std::to_string(parameter.samples);
  return out + ", origin = " + in_quotes(to_string(parameter.origin)) + " }";
}

void write_text(std::string& out, std::string_view key, const std::string& value) {
  if (!value.empty()) out += std::string(key) + " = " + in_quotes(value) + "\n";
}

namespace {

void write_rows(std::string& out, std::string_view key, const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
  out += std::string(key) + " = [\n";
  for (const auto& row : rows) out += "  [" + join(row, ", ") + "],\n";
  out += "]\n";
}

void write_pattern(std::string& out, const PatternCost& pattern) {
  out += "\n[[patterns]]\nname = " + in_quotes(pattern.name) + "\n";
  const std::string kind = table_name(pattern.pattern, pattern.uneven);
  if (kind != pattern.name && !kind.empty()) out += "pattern = " + in_quotes(kind) + "\n";
  write_fields(out, pattern, kPatternFields);
  std::vector<std::vector<std::string>> rows;
  bool quartiles = false;
  for (const CostPoint& point : pattern.points) {
    rows.push_back({std::to_string(point.processes), row_text(point.bytes), row_text(point.seconds),
                    row_text(point.standard_error), std::to_string(point.samples)});
    if (point.high == 0 && point.outliers == 0) continue;
    quartiles = true;
    for (const std::string& each :
         {row_text(point.low), row_text(point.high), std::to_string(point.outliers)})
      rows.back().push_back(each);
  }
  if (!rows.empty())
    out += "# processes, bytes, seconds, standard error, samples" +
           std::string(quartiles ? ", lower and upper quartile, outliers" : "") + "\n";
  write_rows(out, "points", rows);
  rows.clear();
  for (const PatternCost::Correction& knot : pattern.corrections)
    rows.push_back({std::to_string(knot.processes), row_text(knot.bytes), row_text(knot.seconds)});
  if (!rows.empty()) out += "# processes, bytes, seconds more than the pieces give\n";
  write_rows(out, "corrections", rows);
  for (const PatternCost::Piece& piece : pattern.pieces) {
    out += "[[patterns.pieces]]\nfrom_bytes = " + value_text(piece.from_bytes, Dimension::data) +
           "\ngrowth = " + in_quotes(piece.growth) + "\n";
    write_fields(out, piece, kPieceFields);
    if (piece.relative_error != 0) out += "relative_error = " + row_text(piece.relative_error) + "\n";
  }
}

void write_network(std::string& out, const Network& network) {
  out += "\n[network]\n";
  write_text(out, "topology", network.topology);
  for (const ShapeField& field : shape_fields()) {
    if (field.count && network.*field.count != 0)
      out += std::string(field.name) + " = " + std::to_string(network.*field.count) + "\n";
    if (!field.list || (network.*field.list).empty()) continue;
    std::vector<std::string> numbers;
    for (const std::int32_t number : network.*field.list) numbers.push_back(std::to_string(number));
    out += std::string(field.name) + " = [" + join(numbers, ", ") + "]\n";
  }
  write_fields(out, network, kNetworkFields);
}

void write_memory_sharing(std::string& out, const MemorySharing& sharing) {
  out += "\n[memory_sharing]\n";
  if (sharing.by_socket) out += "by = \"socket\"\n";
  for (const MemorySharing::Point& point : sharing.points) {
    out += "[[memory_sharing.points]]\ncores = " + std::to_string(point.cores) + "\n";
    write_fields(out, point, kMemorySharingFields);
  }
}

void write_head(std::string& out, const Machine& machine) {
  out += "schema = \"parcast.machine/1\"\n";
  out += "name = " + in_quotes(machine.name) + "\n";
  write_text(out, "description", machine.description);
  write_text(out, "measured_at", machine.measured_at);
  write_text(out, "launcher", machine.launcher);
  out += "nodes = " + std::to_string(machine.nodes) + "\n";
  out += "cores_per_node = " + std::to_string(machine.cores_per_node) + "\n";
  if (machine.sockets_per_node != 1)
    out += "sockets_per_node = " + std::to_string(machine.sockets_per_node) + "\n";
  if (machine.threads_per_core != 1)
    out += "threads_per_core = " + std::to_string(machine.threads_per_core) + "\n";
  if (machine.memories_per_node != 1)
    out += "memories_per_node = " + std::to_string(machine.memories_per_node) + "\n";
  if (machine.cache_line != 64)
    out += "cache_line = " + value_text(machine.cache_line, Dimension::data) + "\n";
  if (machine.page != 4096) out += "page = " + value_text(machine.page, Dimension::data) + "\n";
  if (machine.memory_per_node != 0)
    out += "memory_per_node = " + value_text(machine.memory_per_node, Dimension::data) + "\n";
  write_fields(out, machine, kMachineFields);
  if (!machine.notes.empty()) {
    out += "notes = [\n";
    for (const std::string& note : machine.notes) out += "  " + in_quotes(note) + ",\n";
    out += "]\n";
  }
}

/// Writes the values that differ from the defaults.
void write_extrap(std::string& out, const Extrap& extrap) {
  out += "\n# ExtraP's model: microseconds, bytes\n[extrap]\n";
  const Extrap unset;
  for (std::size_t i = 0; i < kExtrapKeys; ++i) {
    const auto key = static_cast<ExtrapKey>(i);
    if (extrap[key] != unset[key])
      out += std::string(extrap_name(key)) + " = " + extrap_text(key, extrap[key]) + "\n";
  }
}

}  // namespace

std::string format_measure(double value, Dimension dimension) {
  if (value == 0) value = 0;  // turns -0 into 0
  const std::vector<Scale> units = units_of(dimension);
  const std::string base = format_exact(value) + std::string(units.back().name);
  for (std::size_t i = 0; i + 1 < units.size(); ++i) {
    const bool smallest = i + 2 == units.size();
    if (std::abs(value) < units[i].factor * (smallest ? 1e-3 : 1 - 1e-12)) continue;
    // Rounding may make the quotient inexact, so its neighbours are tried too.
    const double number = value / units[i].factor;
    for (const double near : {number, std::nextafter(number, 1e300), std::nextafter(number, -1e300)}) {
      const std::string text = format_exact(near) + std::string(units[i].name);
      const auto back = parse_measure(text);
      if (back && back->value == value && (text.size() <= 9 || text.size() <= base.size())) return text;
    }
  }
  return base;
}

double readable(double value, Dimension dimension) {
  if (value == 0 || !std::isfinite(value)) return value;
  const std::vector<Scale> units = units_of(dimension);
  std::size_t i = 0;
  while (i + 2 < units.size() && std::abs(value) < units[i].factor * (1 - 1e-12)) ++i;
  if (std::abs(value) < units[i].factor * 1e-3) i = units.size() - 1;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value / units[i].factor);
  const auto back = parse_measure(digits + std::string(units[i].name));
  return back ? back->value : value;
}

std::string to_toml(const Machine& machine) {
  std::string out;
  write_head(out, machine);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [names, value] : machine.covariance)
    // adding 0.0 turns -0 into 0
    rows.push_back({in_quotes(names.first), in_quotes(names.second), row_text(value + 0.0)});
  write_rows(out, "covariance", rows);
  rows.clear();
  for (const MeasuredPlacement& each : machine.placements)
    rows.push_back(
        {std::to_string(each.processes), std::to_string(each.nodes), std::to_string(each.ranks_per_node)});
  if (!rows.empty()) out += "# measured processes, nodes, the most processes on a node\n";
  write_rows(out, "placements", rows);
  rows.clear();
  for (const WorkingSetPoint& point : machine.working_sets)
    rows.push_back({std::to_string(point.cores), row_text(point.bytes), row_text(point.seconds_per_load),
                    row_text(point.bytes_per_second)});
  if (!rows.empty()) out += "# active cores, bytes per core, seconds per load, bytes per second and core\n";
  write_rows(out, "working_sets", rows);
  for (const OperationCost& operation : machine.operations) {
    out += "\n[[operations]]\nname = " + in_quotes(operation.name) + "\n";
    write_fields(out, operation, kOperationFields);
  }
  for (const ThreadCost& team : machine.openmp) {
    out += "\n[[openmp]]\nthreads = " + std::to_string(team.threads) + "\n";
    write_fields(out, team, kThreadFields);
  }
  for (const MemoryLevel& level : machine.memory) {
    out += "\n[[memory]]\nname = " + in_quotes(level.name) + "\n";
    if (level.shared_by > 0) out += "shared_by = " + std::to_string(level.shared_by) + "\n";
    write_fields(out, level, kMemoryFields);
  }
  if (machine.memory_sharing) write_memory_sharing(out, *machine.memory_sharing);
  for (const auto& [name, link] : machine.links) {
    out += "\n[links." + name + "]\n";
    write_fields(out, link, kLinkFields);
    for (const Link::Correction& correction : link.corrections) {
      out += "[[links." + name +
             ".corrections]]\nfrom_bytes = " + value_text(correction.from_bytes, Dimension::data) + "\n";
      write_fields(out, correction, kCorrectionFields);
    }
  }
  const bool alone = machine.nodes == 1 && machine.cores_per_node == 1;
  if (machine.links.empty() && !alone && !machine.extrap)
    out += "\n[links]  # unknown: messages count as free\n";
  if (!machine.collectives.empty()) out += "\n[collectives]\n";
  for (const auto& [pattern, choices] : machine.collectives)
    write_text(out, pattern_name(pattern), algorithms_text(choices));
  if (machine.network) write_network(out, *machine.network);
  if (machine.system) write_system(out, *machine.system);
  for (const PatternCost& pattern : machine.patterns) write_pattern(out, pattern);
  if (machine.extrap) write_extrap(out, *machine.extrap);
  if (!machine.environment.empty()) out += "\n[environment]\n";
  for (const auto& [name, text] : machine.environment)
    out += in_quotes(name) + " = " + in_quotes(text) + "\n";
  if (!machine.sources.empty()) out += "\n[sources]\n";
  for (const auto& [name, text] : machine.sources) out += in_quotes(name) + " = " + in_quotes(text) + "\n";
  return out;
}

Result<void> write_machine(const std::filesystem::path& path, const Machine& machine) {
  PARCAST_TRY(check(machine));
  PARCAST_TRY(check_network(machine));
  PARCAST_TRY(check_memory_sharing(machine));
  return write_file(path, to_toml(machine));
}

}  // namespace parcast::machine
