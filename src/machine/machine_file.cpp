// SPDX-License-Identifier: Apache-2.0
// The reading half of docs/formats/machine.md: the only file of this folder that sees TOML.
#include "machine/machine_file.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/files.h"
#include "machine/fields.h"
#include "machine/memory_sharing.h"
#include "machine/network.h"

// The library states what it takes for granted of its input by asserts: an end of the program in one build,
// undefined behaviour in the other. Here each of them is a syntax error.
namespace {
struct BrokenSyntax {};
constexpr void take_for_granted(bool condition) {
  if (!condition) throw BrokenSyntax{};
}
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(condition) take_for_granted(static_cast<bool>(condition))
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace parcast::machine {
namespace {

using Position = toml::source_position;

/// The text being read: turns a position into file:line:column with the line and a caret under the place.
class Source {
 public:
  Source(std::string_view text, std::string where) : lines_(split(text, '\n')), where_(std::move(where)) {}

  Error at(Position position, std::string what, const std::string& hint = "") const {
    Error error{std::move(what), where_, hint};
    if (position.line == 0 || position.line > lines_.size()) return error;
    std::string line = lines_[position.line - 1];
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t column = std::max<std::size_t>(position.column, 1);
    error.where += ":" + std::to_string(position.line) + ":" + std::to_string(column);
    std::string number = std::to_string(position.line);
    number.insert(0, number.size() < 3 ? 3 - number.size() : 0, ' ');
    std::string lead = line.substr(0, std::min(column - 1, line.size()));
    std::replace_if(
        lead.begin(), lead.end(), [](char c) { return c != '\t'; }, ' ');
    error.hint = number + " | " + line + "\n" + std::string(number.size() + 3, ' ') + "| " + lead + "^" +
                 (hint.empty() ? "" : " " + hint);
    return error;
  }

  /// Remembers where a thing stands, so that a rule it breaks can be shown there.
  void remember(const std::string& name, Position position) { places_[name] = position; }

  /// An error of check(), which knows the thing only by its dotted name.
  Error locate(const Error& error) const {
    std::string name = error.where;
    for (;;) {
      if (const auto place = places_.find(name); place != places_.end())
        return at(place->second, error.what, error.hint);
      const auto dot = name.rfind('.');
      if (dot == std::string::npos) break;
      name.resize(dot);
    }
    return {error.what, where_, error.hint};
  }

 private:
  std::vector<std::string> lines_;
  std::string where_;
  std::map<std::string, Position> places_;
};

Position begin_of(const toml::node& node) {
  return node.source().begin;
}

std::string_view kind_of(const toml::node& node) {
  if (node.is_string()) return "a text";
  if (node.is_number()) return "a number";
  if (node.is_boolean()) return "true or false";
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  return "a date";
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& where) : source_(text, where) {}

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
  /// Calls `take` for each entry in the order of the file; it says false for a key that it does not know.
  template <class Take>
  Result<void> each(const toml::table& table, const std::string& prefix, Take take) {
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const Position x = a.first->source().begin, y = b.first->source().begin;
      return std::pair(x.line, x.column) < std::pair(y.line, y.column);
    });
    for (const auto& [key, node] : entries) {
      const std::string name(key->str());
      source_.remember(prefix + name, node->is_table() || node->is_array_of_tables() ? key->source().begin
                                                                                     : begin_of(*node));
      known_.clear();
      Result<bool> taken = take(name, *node);
      if (!taken) return taken.error();
      if (!*taken) return unknown_key(*key, name);
    }
    return {};
  }

  Error unknown_key(const toml::key& key, const std::string& name) const {
    std::string hint = did_you_mean(name, known_);
    if (hint.empty()) hint = "known here are " + join(known_, ", ");
    return source_.at(key.source().begin, "\"" + name + "\" is not known here", hint);
  }

  Error mismatch(const toml::node& node, const std::string& name, std::string_view wanted) const {
    return source_.at(begin_of(node),
                      name + " is " + std::string(kind_of(node)) + ", but must be " + std::string(wanted));
  }

  Result<std::string> text(const std::string& name, const toml::node& node) const {
    if (const auto value = node.value<std::string>()) return *value;
    return mismatch(node, name, "a text in quotes");
  }

  Result<std::int64_t> whole(const std::string& name, const toml::node& node, std::int64_t least,
                             std::int64_t most) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value) return mismatch(node, name, "a whole number");
    if (*value < least || *value > most)
      return source_.at(begin_of(node), name + " is " + std::to_string(*value) + ", but must be between " +
                                            std::to_string(least) + " and " + std::to_string(most));
    return *value;
  }

  Result<double> number(const std::string& name, const toml::node& node) const {
    if (const auto value = node.value<double>(); value && node.is_number()) return *value;
    return mismatch(node, name, "a number");
  }

  static std::string_view example_unit(Dimension dimension) {
    switch (dimension) {
      case Dimension::time:
        return "us";
      case Dimension::data:
        return "KiB";
      case Dimension::rate:
        return "GB/s";
      case Dimension::time_per_byte:
        return "ns/B";
      case Dimension::none:
        break;
    }
    return "";
  }

  /// "2.1us", or a plain number where the parameter has no unit.
  Result<double> measure(const std::string& name, const toml::node& node, Dimension dimension) const {
    const std::string_view unit = example_unit(dimension);
    if (const auto value = node.value<std::string>()) {
      const auto read = parse_measure(*value);
      if (!read) return source_.at(begin_of(node), name + ": " + read.error().what, read.error().hint);
      if (read->dimension == dimension) return read->value;
      if (read->dimension == Dimension::none)
        return source_.at(begin_of(node), name + " is \"" + *value + "\", but needs a unit",
                          "did you mean \"" + *value + std::string(unit) + "\"?");
      return source_.at(begin_of(node),
                        name + " is \"" + *value + "\", " + std::string(to_string(read->dimension)) +
                            ", but " + std::string(to_string(dimension)) + " is wanted",
                        unit.empty() ? "leave the unit out" : "use a unit such as " + std::string(unit));
    }
    if (!node.is_number())
      return mismatch(node, name,
                      dimension == Dimension::none ? "a number" : "a number with a unit, in quotes");
    const double value = *node.value<double>();
    if (dimension == Dimension::none) return value;
    return source_.at(begin_of(node), name + " is " + format_exact(value) + ", but needs a unit",
                      "did you mean \"" + format_exact(value) + std::string(unit) + "\"?");
  }

  Result<Parameter> parameter(const std::string& name, const std::string& dotted, const toml::node& node,
                              Dimension dimension) {
    Parameter out;
    const toml::table* table = node.as_table();
    if (!table) {
      PARCAST_ASSIGN(out.value, measure(name, node, dimension));
      out.origin = Origin::assumed;
      return out;
    }
    bool valued = false;
    out.origin = Origin::assumed;
    const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
      known_ = {"value", "standard_error", "samples", "origin"};
      if (key == "value") {
        PARCAST_ASSIGN(out.value, measure(name, inner, dimension));
        valued = true;
      } else if (key == "standard_error") {
        PARCAST_ASSIGN(out.standard_error, measure("the standard error of " + name, inner, dimension));
      } else if (key == "samples") {
        PARCAST_ASSIGN(out.samples, whole("samples", inner, 0, std::numeric_limits<std::int64_t>::max()));
      } else if (key == "origin") {
        PARCAST_ASSIGN(out.origin, origin(inner));
      } else {
        return false;
      }
      return true;
    };
    PARCAST_TRY(each(*table, dotted + ".", take));
    if (!valued)
      return source_.at(begin_of(node), name + " has no value",
                        "write for example " + name + " = { value = " + example(dimension) + ", ... }");
    return out;
  }

  static std::string example(Dimension dimension) {
    return dimension == Dimension::none ? "2.1" : "\"2.1" + std::string(example_unit(dimension)) + "\"";
  }

  Result<Origin> origin(const toml::node& node) const {
    PARCAST_ASSIGN(const std::string name, text("origin", node));
    if (const auto found = origin_from(name)) return *found;
    std::vector<std::string> known;
    for (const Origin each_origin : kOrigins) known.emplace_back(to_string(each_origin));
    const std::string guess = did_you_mean(name, known);
    return source_.at(begin_of(node), "\"" + name + "\" is not an origin",
                      guess.empty() ? "known are " + join(known, ", ") : guess);
  }

  /// One of the unit's parameters, when `key` names one.
  template <class Unit>
  Result<bool> field(Unit& unit, const auto& fields, const std::string& prefix, const std::string& key,
                     const toml::node& node) {
    for (const Field<Unit>& each_field : fields) known_.emplace_back(each_field.name);
    for (const Field<Unit>& each_field : fields) {
      if (key != each_field.name) continue;
      PARCAST_ASSIGN(unit.*each_field.member, parameter(key, prefix + key, node, each_field.dimension));
      return true;
    }
    return false;
  }

  Result<bool> top(const std::string& key, const toml::node& node) {
    known_ = {"schema",          "name",           "description",      "measured_at",  "launcher",
              "nodes",           "cores_per_node", "sockets_per_node", "cache_line",   "page",
              "memory_per_node", "notes",          "covariance",       "working_sets", "memory",
              "threads_per_core", "memories_per_node", "operations", "openmp",
              "links",           "patterns",       "collectives", "network", "memory_sharing", "extrap", "sources", "environment"};
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
          std::pair{"sockets_per_node", &Machine::sockets_per_node}, std::pair{"threads_per_core", &Machine::threads_per_core},
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
    if (key == "working_sets")
      return rows(key, node, 4, [&](const toml::array& row) { return working_set(row); });
    if (key == "memory") return tables(key, node, [&](const toml::table& table) { return memory(table); });
    if (key == "operations") return tables(key, node, [&](const toml::table& table) { return operation(table); });
    if (key == "openmp") return tables(key, node, [&](const toml::table& table) { return team(table); });
    if (key == "links") return links(node);
    if (key == "network") return network(node);
    if (key == "memory_sharing") return memory_sharing(node);
    if (key == "extrap") return extrap(node);
    if (key == "patterns") return tables(key, node, [&](const toml::table& table) { return pattern(table); });
    if (key == "collectives") return collectives(node);
    if (key == "sources") return sources(node, "");
    if (key == "environment") return environment(node);
    return field(machine_, kMachineFields, "", key, node);
  }

  /// [collectives] allreduce = "recursive_doubling, ring from 64KiB"
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

  /// [environment] kernel = "6.1.0-13-amd64"
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

  /// [sources] "links.network" = "...", or without the quotes, which TOML reads as tables in tables.
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

  /// Rows of `columns` entries, or of `more`.
  template <class Take>
  Result<bool> rows(const std::string& key, const toml::node& node, std::size_t columns, Take take, std::size_t more = 0) {
    const toml::array* array = node.as_array();
    if (!array) return mismatch(node, key, "a list of rows");
    for (const toml::node& entry : *array) {
      const toml::array* row = entry.as_array();
      if (!row)
        return mismatch(entry, "a row of " + key, "a list of " + std::to_string(columns) + " entries");
      if (row->size() != columns && row->size() != more)
        return source_.at(begin_of(entry), "this row of " + key + " has " + std::to_string(row->size()) +
                                               " entries, but must have " + std::to_string(columns));
      PARCAST_TRY(take(*row));
    }
    return true;
  }

  template <class Take>
  Result<bool> tables(const std::string& key, const toml::node& node, Take take) {
    const toml::array* array = node.as_array();
    if (!array || (!array->empty() && !array->is_array_of_tables()))
      return mismatch(node, key, "a list of tables, each headed [[" + key + "]]");
    for (const toml::node& entry : *array) PARCAST_TRY(take(*entry.as_table()));
    return true;
  }

  Result<void> covariance(const toml::array& row) {
    PARCAST_ASSIGN(const std::string a, text("the first name", row[0]));
    PARCAST_ASSIGN(const std::string b, text("the second name", row[1]));
    PARCAST_ASSIGN(const double value, number("the covariance", row[2]));
    machine_.covariance[{a, b}] = value;
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
      if (const double value = *row[i].value<double>(); !(value >= 0) || !std::isfinite(value))
        return source_.at(begin_of(row[i]), "a number of a working set must be 0 or more");
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
    if (!threads) return source_.at(begin_of(table), "this team does not say how many threads it has", "write for example threads = 2");
    PARCAST_ASSIGN(const std::int64_t value, whole("threads", *threads, 1, std::numeric_limits<std::int32_t>::max()));
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
        PARCAST_ASSIGN(const std::int64_t cores, whole(key, node, 1, std::numeric_limits<std::int32_t>::max()));
        level.shared_by = static_cast<std::int32_t>(cores);
        return true;
      }
      return field(level, kMemoryFields, prefix, key, node);
    };
    PARCAST_TRY(each(table, prefix, take));
    machine_.memory.push_back(std::move(level));
    return {};
  }

  Result<std::string> name_of(const toml::table& table, const std::string& what,
                              const std::string& example_name) const {
    const toml::node* node = table.get("name");
    if (!node)
      return source_.at(begin_of(table), "this " + what + " has no name",
                        "write for example name = \"" + example_name + "\"");
    PARCAST_ASSIGN(std::string name, text("name", *node));
    if (name.empty() || name.find('.') != std::string::npos)
      return source_.at(begin_of(*node), "the name of a " + what + " must not be empty or hold a dot");
    return name;
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
          return source_.at(
              begin_of(entry), "links." + name + " has no " + std::string(needed.name),
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

  /// [memory_sharing] by = "socket", and [[memory_sharing.points]] of cores and what they get together.
  Result<bool> memory_sharing(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, "memory_sharing", "a table [memory_sharing]");
    MemorySharing& sharing = machine_.memory_sharing.emplace();
    const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
      known_ = {"by", "points"};
      if (key == "points") return shared_bandwidths(inner, sharing);
      if (key != "by") return false;
      PARCAST_ASSIGN(const std::string by, text(key, inner));
      if (by != "node" && by != "socket") return source_.at(begin_of(inner), "\"" + by + "\" shares no memory", "known are node, socket");
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
      if (!cores) return source_.at(begin_of(table), "this point does not say how many cores stream", "write for example cores = 2");
      PARCAST_ASSIGN(const std::int64_t value, whole("cores", *cores, 1, std::numeric_limits<std::int32_t>::max()));
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

  /// Numbers in the units of the paper, or texts with a unit; choices by name or number.
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

  Result<bool> corrections(const toml::node& node, const std::string& prefix, Link& link) {
    return tables("corrections", node, [&](const toml::table& table) -> Result<void> {
      Link::Correction correction;
      const std::string at = prefix + std::to_string(link.corrections.size()) + ".";
      const auto take = [&](const std::string& key, const toml::node& inner) -> Result<bool> {
        known_ = {"from_bytes"};
        if (key != "from_bytes") return field(correction, kCorrectionFields, at, key, inner);
        PARCAST_ASSIGN(correction.from_bytes, measure(key, inner, Dimension::data));
        return true;
      };
      PARCAST_TRY(each(table, at, take));
      link.corrections.push_back(correction);
      return {};
    });
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
    return rows("points", node, 5, [&](const toml::array& row) -> Result<void> {
      CostPoint point;
      source_.remember(prefix + "points." + std::to_string(out.points.size()), begin_of(row));
      PARCAST_ASSIGN(const std::int64_t processes,
                     whole("the number of processes", row[0], 1, std::numeric_limits<std::int32_t>::max()));
      point.processes = static_cast<std::int32_t>(processes);
      PARCAST_ASSIGN(point.bytes, number("the size", row[1]));
      PARCAST_ASSIGN(point.seconds, number("the time", row[2]));
      PARCAST_ASSIGN(point.standard_error, number("the standard error", row[3]));
      PARCAST_ASSIGN(point.samples,
                     whole("the number of samples", row[4], 0, std::numeric_limits<std::int64_t>::max()));
      if (row.size() > 5) {
        PARCAST_ASSIGN(point.low, number("the lower quartile", row[5]));
        PARCAST_ASSIGN(point.high, number("the upper quartile", row[6]));
        PARCAST_ASSIGN(point.outliers, whole("the number of outliers", row[7], 0, std::numeric_limits<std::int64_t>::max()));
      }
      out.points.push_back(point);
      return {};
    }, 8);
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

  /// What must not be missing.
  Result<void> complete(const toml::table& root) const {
    const Position start{1, 1};
    if (machine_.name.empty()) return source_.at(start, "the machine has no name", "add name = \"here\"");
    const bool alone = machine_.nodes == 1 && machine_.cores_per_node == 1;
    if (!alone && !root.contains("links") && !machine_.extrap)
      return source_.at(start, "the machine has several processors but no links between them",
                        machine_.nodes > 1 ? "add a table [links.network]" : "add a table [links.core]");
    return {};
  }

  Source source_;
  Machine machine_;
  std::vector<std::string> known_;  // keys that may stand where the reader is
};

}  // namespace

Result<Machine> machine_from_toml(std::string_view text, const std::string& where) {
  Reader reader(text, where);
  try {
    const toml::table root = toml::parse(text, std::string_view(where));
    return reader.read(root);
  } catch (const toml::parse_error& error) {
    return reader.syntax(error);
  } catch (const BrokenSyntax&) {
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
