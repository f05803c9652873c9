// SPDX-License-Identifier: Apache-2.0
// Reads machine files (docs/formats/machine.md), except [system] (system_file.cpp).
#include "machine/machine_file.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/files.h"
#include "base/number_range.h"
#include "machine/fields.h"
#include "machine/memory_sharing.h"
#include "machine/network.h"
#include "machine/toml_file.h"

namespace parcast::machine {
namespace {

class Reader : private TomlReader {
 public:
  using TomlReader::corrections;
  using TomlReader::TomlReader;

  Result<Machine> read(const toml::table& root) {
    const auto take = [&](const std::string& key, const toml::node& node) { return top(key, node); };
    PARCAST_TRY(each(root, "", take));
    PARCAST_TRY(complete(root));
    if (const auto kept = check(machine_); !kept) return source_.locate(kept.error());
    if (const auto kept = check_network(machine_); !kept) return source_.locate(kept.error());
    if (const auto kept = check_memory_sharing(machine_); !kept) return source_.locate(kept.error());
    return std::move(machine_);
  }

  Error syntax(const toml::parse_error& error) const {
    return source_.at(error.source().begin, "this is not TOML: " + std::string(error.description()));
  }

 private:
  Result<bool> top(const std::string& key, const toml::node& node) {
    known_ = {"schema",
              "name",
              "description",
              "measured_at",
              "launcher",
              "nodes",
              "cores_per_node",
              "sockets_per_node",
              "cache_line",
              "page",
              "memory_per_node",
              "notes",
              "covariance",
              "working_sets",
              "memory",
              "threads_per_core",
              "memories_per_node",
              "operations",
              "openmp",
              "placements",
              "links",
              "patterns",
              "collectives",
              "network",
              "memory_sharing",
              "system",
              "extrap",
              "sources",
              "environment"};
    const std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (auto [name, member] :
         {std::pair{"name", &Machine::name}, std::pair{"description", &Machine::description},
          std::pair{"measured_at", &Machine::measured_at}, std::pair{"launcher", &Machine::launcher}}) {
      if (key != name) continue;
      PARCAST_ASSIGN(machine_.*member, text(key, node));
      return true;
    }
    for (auto [name, member] :
         {std::pair{"nodes", &Machine::nodes}, std::pair{"cores_per_node", &Machine::cores_per_node},
          std::pair{"sockets_per_node", &Machine::sockets_per_node},
          std::pair{"threads_per_core", &Machine::threads_per_core},
          std::pair{"memories_per_node", &Machine::memories_per_node}}) {
      if (key != name) continue;
      PARCAST_ASSIGN(const std::int64_t value, whole(key, node, 1, most));
      machine_.*member = static_cast<std::int32_t>(value);
      return true;
    }
    for (auto [name, member] :
         {std::pair{"memory_per_node", &Machine::memory_per_node},
          std::pair{"cache_line", &Machine::cache_line}, std::pair{"page", &Machine::page}}) {
      if (key != name) continue;
      PARCAST_ASSIGN(machine_.*member, measure(key, node, Dimension::data));
      return true;
    }
    if (key == "schema") return schema(node);
    if (key == "notes") return notes(node);
    if (key == "covariance")
      return rows(key, node, 3, [&](const toml::array& row) { return covariance(row); });
    if (key == "placements")
      return rows(key, node, 3, [&](const toml::array& row) { return placement(row); });
    if (key == "working_sets")
      return rows(key, node, 4, [&](const toml::array& row) { return working_set(row); });
    if (key == "memory") return tables(key, node, [&](const toml::table& table) { return memory(table); });
    if (key == "operations")
      return tables(key, node, [&](const toml::table& table) { return operation(table); });
    if (key == "openmp") return tables(key, node, [&](const toml::table& table) { return team(table); });
    if (key == "links") return links(node);
    if (key == "network") return network(node);
    if (key == "memory_sharing") return memory_sharing(node);
    if (key == "system") {
      PARCAST_ASSIGN(System system, system_from(*this, node));
      machine_.system = std::make_shared<const System>(std::move(system));
      return true;
    }
    if (key == "extrap") return extrap(node);
    if (key == "patterns") return tables(key, node, [&](const toml::table& table) { return pattern(table); });
    if (key == "collectives") return collectives(node);
    if (key == "sources") return sources(node, "");
    if (key == "environment") return environment(node);
    return field(machine_, kMachineFields, "", key, node);
  }

  /// Reads [collectives] allreduce = "recursive_doubling, ring from 64KiB".
  Result<bool> collectives(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "collectives", "a table [collectives]");
    const auto take = [&](const std::string& name, const toml::node& entry) -> Result<bool> {
      for (const std::string_view known : simulated_patterns()) known_.emplace_back(known);
      const auto pattern = pattern_from(name);
      if (!pattern || algorithms_of(*pattern).empty()) return false;
      PARCAST_ASSIGN(const std::string value, text(name, entry));
      const auto choices = algorithms_from(*pattern, value);
      if (!choices) return source_.at(begin_of(entry), choices.error().what, choices.error().hint);
      machine_.collectives[*pattern] = *choices;
      return true;
    };
    PARCAST_TRY(each(*table, "collectives.", take));
    return true;
  }

  /// Reads [environment] kernel = "6.1.0-13-amd64".
  Result<bool> environment(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "environment", "a table [environment]");
    const auto take = [&](const std::string& name, const toml::node& entry) -> Result<bool> {
      PARCAST_ASSIGN(machine_.environment[name], text(name, entry));
      return true;
    };
    PARCAST_TRY(each(*table, "environment.", take));
    return true;
  }

  /// Reads [sources] "links.network" = "...". Without the quotes TOML reads the name as nested tables.
  Result<bool> sources(const toml::node& node, const std::string& prefix) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "sources", "a table [sources]");
    const auto take = [&](const std::string& name, const toml::node& entry) -> Result<bool> {
      if (entry.is_table()) return sources(entry, prefix + name + ".");
      PARCAST_ASSIGN(machine_.sources[prefix + name], text(prefix + name, entry));
      return true;
    };
    PARCAST_TRY(each(*table, "sources." + prefix, take));
    return true;
  }

  Result<bool> schema(const toml::node& node) const {
    PARCAST_ASSIGN(const std::string name, text("schema", node));
    if (name == "parcast.machine/1") return true;
    if (name.starts_with("parcast.machine/"))
      return source_.at(begin_of(node), "this machine was written by a newer Parcast (" + name + ")",
                        "parcast.machine/1 is known here");
    return source_.at(begin_of(node), "\"" + name + "\" is not a machine",
                      "a machine has schema = \"parcast.machine/1\"");
  }

  Result<bool> notes(const toml::node& node) {
    const toml::array* array = node.as_array();
    if (!array) return mismatch(node, "notes", "a list of texts");
    for (const toml::node& entry : *array) {
      PARCAST_ASSIGN(std::string note, text("a note", entry));
      machine_.notes.push_back(std::move(note));
    }
    return true;
  }

  Result<void> covariance(const toml::array& row) {
    PARCAST_ASSIGN(const std::string a, text("the first name", row[0]));
    PARCAST_ASSIGN(const std::string b, text("the second name", row[1]));
    PARCAST_ASSIGN(const double value, number("the covariance", row[2]));
    machine_.covariance[{a, b}] = value;
    return {};
  }

  Result<void> placement(const toml::array& row) {
    PARCAST_ASSIGN(const std::int64_t processes,
                   whole("the number of processes", row[0], 1, std::numeric_limits<std::int32_t>::max()));
    PARCAST_ASSIGN(const std::int64_t nodes, whole("the number of nodes", row[1], 1, processes));
    PARCAST_ASSIGN(const std::int64_t most, whole("the most processes on a node", row[2],
                                                  (processes - 1) / nodes + 1, processes - nodes + 1));
    machine_.placements.push_back({static_cast<std::int32_t>(processes), static_cast<std::int32_t>(nodes),
                                   static_cast<std::int32_t>(most)});
    return {};
  }

  Result<void> working_set(const toml::array& row) {
    WorkingSetPoint point;
    PARCAST_ASSIGN(const std::int64_t cores,
                   whole("the number of cores", row[0], 1, std::numeric_limits<std::int32_t>::max()));
    point.cores = static_cast<std::int32_t>(cores);
    PARCAST_ASSIGN(point.bytes, number("the working set", row[1]));
    PARCAST_ASSIGN(point.seconds_per_load, number("the time of a load", row[2]));
    PARCAST_ASSIGN(point.bytes_per_second, number("the bandwidth", row[3]));
    for (std::size_t i = 1; i < 4; ++i)
      if (const double value = *row[i].value<double>(); !(value >= 0) || !is_in_range(value))
        return source_.at(begin_of(row[i]), "a number of a working set must be 0, or from 1e-30 to 1e30");
    machine_.working_sets.push_back(point);
    return {};
  }

  Result<void> operation(const toml::table& table) {
    OperationCost cost;
    PARCAST_ASSIGN(cost.name, name_of(table, "class of operations", "double_add"));
    const std::string prefix = "operations." + cost.name + ".";
    source_.remember("operations." + cost.name, begin_of(table));
    const auto take = [&](const std::string& key, const toml::node& node) -> Result<bool> {
      known_ = {"name"};
      if (key == "name") return true;
      return field(cost, kOperationFields, prefix, key, node);
    };
    PARCAST_TRY(each(table, prefix, take));
    machine_.operations.push_back(std::move(cost));
    return {};
  }

  Result<void> team(const toml::table& table) {
    ThreadCost cost;
    const toml::node* threads = table.get("threads");
    if (!threads)
      return source_.at(begin_of(table), "this team has no number of threads",
                        "write for example threads = 2");
    PARCAST_ASSIGN(const std::int64_t value,
                   whole("threads", *threads, 1, std::numeric_limits<std::int32_t>::max()));
    cost.threads = static_cast<std::int32_t>(value);
    const std::string prefix = "openmp." + std::to_string(cost.threads) + ".";
    source_.remember("openmp." + std::to_string(cost.threads), begin_of(table));
    const auto take = [&](const std::string& key, const toml::node& node) -> Result<bool> {
      known_ = {"threads"};
      if (key == "threads") return true;
      return field(cost, kThreadFields, prefix, key, node);
    };
    PARCAST_TRY(each(table, prefix, take));
    machine_.openmp.push_back(cost);
    return {};
  }

  Result<void> memory(const toml::table& table) {
    MemoryLevel level;
    PARCAST_ASSIGN(level.name, name_of(table, "memory level", "L1"));
    const std::string prefix = "memory." + level.name + ".";
    source_.remember("memory." + level.name, begin_of(table));
    const auto take = [&](const std::string& key, const toml::node& node) -> Result<bool> {
      known_ = {"name", "shared_by"};
      if (key == "name") return true;
      if (key == "shared_by") {
        PARCAST_ASSIGN(const std::int64_t cores,
                       whole(key, node, 1, std::numeric_limits<std::int32_t>::max()));
        level.shared_by = static_cast<std::int32_t>(cores);
        return true;
      }
      return field(level, kMemoryFields, prefix, key, node);
    };
    PARCAST_TRY(each(table, prefix, take));
    machine_.memory.push_back(std::move(level));
    return {};
  }

  Result<bool> links(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "links", "tables such as [links.network]");
    const auto take = [&](const std::string& name, const toml::node& entry) -> Result<bool> {
      known_.assign(kLinkNames.begin(), kLinkNames.end());
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) return false;
      const toml::table* parameters_of_link = entry.as_table();
      if (!parameters_of_link) return mismatch(entry, "links." + name, "a table");
      const std::string prefix = "links." + name + ".";
      Link link;
      const auto take_parameter = [&](const std::string& key, const toml::node& inner) {
        known_ = {"corrections"};
        if (key == "corrections") return corrections(inner, prefix, link);
        return field(link, kLinkFields, prefix, key, inner);
      };
      PARCAST_TRY(each(*parameters_of_link, prefix, take_parameter));
      for (const RequiredOfLink& needed : kRequiredOfLink)
        if (!parameters_of_link->contains(needed.name))
          return source_.at(begin_of(entry), "links." + name + " has no " + std::string(needed.name),
                            "add " + std::string(needed.name) + " = \"" + std::string(needed.example) + "\"");
      machine_.links[name] = link;
      return true;
    };
    PARCAST_TRY(each(*table, "links.", take));
    return true;
  }

  Result<bool> network(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "network", "a table [network]");
    Network& network = machine_.network.emplace();
    const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
      known_ = {"topology"};
      for (const ShapeField& each_field : shape_fields()) known_.emplace_back(each_field.name);
      if (key == "topology") {
        PARCAST_ASSIGN(network.topology, text(key, inner));
        return true;
      }
      for (const ShapeField& each_field : shape_fields())
        if (key == each_field.name) return shape(inner, each_field, network);
      return field(network, kNetworkFields, "network.", key, inner);
    };
    PARCAST_TRY(each(*table, "network.", take));
    return true;
  }

  Result<bool> shape(const toml::node& node, const ShapeField& field, Network& network) const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::string name(field.name);
    if (field.count) {
      PARCAST_ASSIGN(const std::int64_t value, whole(name, node, 1, kMost));
      network.*field.count = static_cast<std::int32_t>(value);
      return true;
    }
    const toml::array* array = node.as_array();
    if (!array) return mismatch(node, name, "a list of whole numbers, such as [4, 4]");
    for (const toml::node& entry : *array) {
      PARCAST_ASSIGN(const std::int64_t value, whole("a number of " + name, entry, 1, kMost));
      (network.*field.list).push_back(static_cast<std::int32_t>(value));
    }
    return true;
  }

  /// Reads [memory_sharing] by = "socket", and [[memory_sharing.points]] with cores and their common
  /// bandwidth.
  Result<bool> memory_sharing(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "memory_sharing", "a table [memory_sharing]");
    MemorySharing& sharing = machine_.memory_sharing.emplace();
    const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
      known_ = {"by", "points"};
      if (key == "points") return shared_bandwidths(inner, sharing);
      if (key != "by") return false;
      PARCAST_ASSIGN(const std::string by, text(key, inner));
      if (by != "node" && by != "socket")
        return source_.at(begin_of(inner), "\"" + by + "\" shares no memory", "known are node, socket");
      sharing.by_socket = by == "socket";
      return true;
    };
    PARCAST_TRY(each(*table, "memory_sharing.", take));
    return true;
  }

  Result<bool> shared_bandwidths(const toml::node& node, MemorySharing& sharing) {
    return tables("memory_sharing.points", node, [&](const toml::table& table) -> Result<void> {
      MemorySharing::Point point;
      const toml::node* cores = table.get("cores");
      if (!cores)
        return source_.at(begin_of(table), "this point has no number of cores",
                          "write for example cores = 2");
      PARCAST_ASSIGN(const std::int64_t value,
                     whole("cores", *cores, 1, std::numeric_limits<std::int32_t>::max()));
      point.cores = static_cast<std::int32_t>(value);
      const std::string at = "memory_sharing." + std::to_string(point.cores) + ".";
      source_.remember(at + "bandwidth", begin_of(table));
      const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
        known_ = {"cores"};
        if (key == "cores") return true;
        return field(point, kMemorySharingFields, at, key, inner);
      };
      PARCAST_TRY(each(table, at, take));
      sharing.points.push_back(point);
      return {};
    });
  }

  /// Reads numbers in the units of the paper or texts with a unit, and choices by name or number.
  Result<bool> extrap(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "extrap", "a table [extrap]");
    machine_.extrap.emplace();
    const auto take = [&](const std::string& name, const toml::node& inner) -> Result<bool> {
      for (const ExtrapField& each_field : extrap_fields()) known_.emplace_back(each_field.name);
      const auto key = extrap_key(name);
      if (!key) return false;
      const auto written = inner.value<std::string>();
      const auto number_given = inner.is_number() ? inner.value<double>() : std::nullopt;
      if (!written && !number_given) return mismatch(inner, name, "a number, or a text in quotes");
      const auto value = extrap_value(*key, written ? *written : format_exact(*number_given));
      if (!value) return source_.at(begin_of(inner), value.error().what, value.error().hint);
      (*machine_.extrap)[*key] = *value;
      return true;
    };
    PARCAST_TRY(each(*table, "extrap.", take));
    return true;
  }

  Result<void> pattern(const toml::table& table) {
    PatternCost out;
    PARCAST_ASSIGN(out.name, name_of(table, "pattern", "allreduce"));
    take_kind(priced_by(out.name), out);
    const std::string prefix = "patterns." + out.name + ".";
    source_.remember("patterns." + out.name, begin_of(table));
    const auto take = [&](const std::string& key, const toml::node& node) -> Result<bool> {
      known_ = {"name", "pattern", "points", "pieces", "corrections"};
      if (key == "name") return true;
      if (key == "pattern") return kind_of_pattern(node, out);
      if (key == "points") return points(node, prefix, out);
      if (key == "pieces") return pieces(node, prefix, out);
      if (key == "corrections") return corrections(node, prefix, out);
      return field(out, kPatternFields, prefix, key, node);
    };
    PARCAST_TRY(each(table, prefix, take));
    machine_.patterns.push_back(std::move(out));
    return {};
  }

  static void take_kind(const std::optional<Priced>& kind, PatternCost& out) {
    out.pattern = kind ? kind->pattern : recording::Pattern::none;
    out.uneven = kind && kind->uneven;
  }

  Result<bool> kind_of_pattern(const toml::node& node, PatternCost& out) const {
    PARCAST_ASSIGN(const std::string name, text("pattern", node));
    const auto found = priced_by(name);
    if (!found && !name.empty())
      return source_.at(begin_of(node), "\"" + name + "\" is not a communication pattern",
                        "leave it empty for a pattern of another kind");
    take_kind(found, out);
    return true;
  }

  Result<bool> points(const toml::node& node, const std::string& prefix, PatternCost& out) {
    return rows(
        "points", node, 5,
        [&](const toml::array& row) -> Result<void> {
          CostPoint point;
          source_.remember(prefix + "points." + std::to_string(out.points.size()), begin_of(row));
          PARCAST_ASSIGN(const std::int64_t processes, whole("the number of processes", row[0], 1,
                                                             std::numeric_limits<std::int32_t>::max()));
          point.processes = static_cast<std::int32_t>(processes);
          PARCAST_ASSIGN(point.bytes, number("the size", row[1]));
          PARCAST_ASSIGN(point.seconds, number("the time", row[2]));
          PARCAST_ASSIGN(point.standard_error, number("the standard error", row[3]));
          PARCAST_ASSIGN(point.samples,
                         whole("the number of samples", row[4], 0, std::numeric_limits<std::int64_t>::max()));
          if (row.size() > 5) {
            PARCAST_ASSIGN(point.low, number("the lower quartile", row[5]));
            PARCAST_ASSIGN(point.high, number("the upper quartile", row[6]));
            PARCAST_ASSIGN(point.outliers, whole("the number of outliers", row[7], 0,
                                                 std::numeric_limits<std::int64_t>::max()));
          }
          out.points.push_back(point);
          return {};
        },
        8);
  }

  Result<bool> corrections(const toml::node& node, const std::string& prefix, PatternCost& out) {
    return rows("corrections", node, 3, [&](const toml::array& row) -> Result<void> {
      PatternCost::Correction knot;
      source_.remember(prefix + "corrections." + std::to_string(out.corrections.size()), begin_of(row));
      PARCAST_ASSIGN(const std::int64_t processes,
                     whole("the number of processes", row[0], 1, std::numeric_limits<std::int32_t>::max()));
      knot.processes = static_cast<std::int32_t>(processes);
      PARCAST_ASSIGN(knot.bytes, number("the size", row[1]));
      PARCAST_ASSIGN(knot.seconds, number("the time", row[2]));
      out.corrections.push_back(knot);
      return {};
    });
  }

  Result<bool> pieces(const toml::node& node, const std::string& prefix, PatternCost& out) {
    return tables("patterns.pieces", node, [&](const toml::table& table) -> Result<void> {
      PatternCost::Piece piece;
      piece.growth = "1";
      const std::string at = prefix + std::to_string(out.pieces.size()) + ".";
      source_.remember(prefix + std::to_string(out.pieces.size()), begin_of(table));
      const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
        known_ = {"from_bytes", "growth", "relative_error"};
        if (key == "from_bytes") {
          PARCAST_ASSIGN(piece.from_bytes, measure(key, inner, Dimension::data));
        } else if (key == "growth") {
          PARCAST_ASSIGN(piece.growth, text(key, inner));
        } else if (key == "relative_error") {
          PARCAST_ASSIGN(piece.relative_error, number(key, inner));
        } else {
          return field(piece, kPieceFields, at, key, inner);
        }
        return true;
      };
      PARCAST_TRY(each(table, at, take));
      out.pieces.push_back(std::move(piece));
      return {};
    });
  }

  /// Checks that nothing required is missing.
  Result<void> complete(const toml::table& root) const {
    const Position start{1, 1};
    if (machine_.name.empty()) return source_.at(start, "the machine has no name", "add name = \"here\"");
    const bool alone = machine_.nodes == 1 && machine_.cores_per_node == 1;
    if (!alone && !root.contains("links") && !machine_.extrap)
      return source_.at(start, "the machine has several processors but no links between them",
                        machine_.nodes > 1 ? "add a table [links.network]" : "add a table [links.core]");
    return {};
  }

  Machine machine_;
};

}  // namespace

Result<Machine> machine_from_toml(std::string_view text, const std::string& where) {
  Reader reader(text, where);
  try {
    const toml::table root = toml::parse(text, std::string_view(where));
    return reader.read(root);
  } catch (const toml::parse_error& error) {
    return reader.syntax(error);
  } catch (const toml_library::BrokenSyntax&) {
    return Error{"this is not TOML", where, "docs/formats/machine.md shows a machine file"};
  }
}

std::string name_of_file(const std::filesystem::path& path) {
  constexpr std::string_view kEnding = ".machine.toml";
  const std::string file = path.filename().string();
  return file.ends_with(kEnding) ? file.substr(0, file.size() - kEnding.size()) : path.stem().string();
}

Result<Machine> read_machine(const std::filesystem::path& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return machine_from_toml(text, path.string());
}

}  // namespace parcast::machine
