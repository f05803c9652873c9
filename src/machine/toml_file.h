// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the readers of machine files and of their [system] share, and the only header that sees TOML: entries in the order of the file, values with
// units, parameters, and errors with file, line, column and a caret under the place.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "machine/fields.h"
#include "machine/system.h"

// The library states what it takes for granted of its input by asserts: an end of the program in one build,
// undefined behaviour in the other. Here each of them is a syntax error.
namespace parcast::machine::toml_library {
struct BrokenSyntax {};
constexpr void take_for_granted(bool condition) {
  if (!condition) throw BrokenSyntax{};
}
}  // namespace parcast::machine::toml_library
#undef NDEBUG
#define TOML_ASSERT(condition) parcast::machine::toml_library::take_for_granted(static_cast<bool>(condition))
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace parcast::machine {


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

inline Position begin_of(const toml::node& node) {
  return node.source().begin;
}

inline std::string_view kind_of(const toml::node& node) {
  if (node.is_string()) return "a text";
  if (node.is_number()) return "a number";
  if (node.is_boolean()) return "true or false";
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  return "a date";
}

/// Reads entries; each function names in `known_` the keys that may stand where it is, for the error of one that may not.
class TomlReader {
 public:
  TomlReader(std::string_view text, const std::string& where) : source_(text, where) {}

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

  Source source_;
  std::vector<std::string> known_;  // keys that may stand where the reader is
};

/// [system] of a machine file, valid.
Result<System> system_from(TomlReader& reader, const toml::node& node);

}  // namespace parcast::machine
