// SPDX-License-Identifier: Apache-2.0
#include "store/runs_csv.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

#include "base/csv.h"
#include "base/number_range.h"
#include "base/text.h"
#include "store/measured.h"

namespace parcast::store {
namespace {

struct CsvColumn {
  const char* name;
  std::variant<std::string Entry::*, std::int64_t Entry::*, double Entry::*> member;
};

/// All columns except kind, tags and parameters.
const std::vector<CsvColumn>& columns() {
  static const std::vector<CsvColumn> all{{"digest", &Entry::digest},
                                          {"stored_at", &Entry::stored_at},
                                          {"tool_version", &Entry::tool_version},
                                          {"program", &Entry::program},
                                          {"machine", &Entry::machine},
                                          {"p", &Entry::processes},
                                          {"nodes", &Entry::nodes},
                                          {"ranks_per_node", &Entry::ranks_per_node},
                                          {"threads", &Entry::threads},
                                          {"seconds", &Entry::seconds},
                                          {"measured_at", &Entry::began},
                                          {"path", &Entry::path}};
  return all;
}

constexpr std::string_view kParameter = "parameter ";

std::vector<std::string> column_names() {
  std::vector<std::string> names{"kind", "tags", "processes"};
  for (const CsvColumn& column : columns()) names.push_back(column.name);
  return names;
}

bool is_column(const std::string& name) {
  static const std::vector<std::string> names = column_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string column_of_parameter(const std::string& name) {
  return is_column(name) || name.starts_with(kParameter) ? std::string(kParameter) + name : name;
}
std::string parameter_of_column(const std::string& column) {
  return column.starts_with(kParameter) ? column.substr(kParameter.size()) : column;
}

std::string value_text(const Entry& entry, const CsvColumn& column) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = entry.*member;
        if constexpr (std::is_same_v<decltype(member), std::string Entry::*>)
          return csv_field(value);
        else if constexpr (std::is_same_v<decltype(member), double Entry::*>)
          return format_exact(value);
        else
          return value == 0 ? "" : std::to_string(value);
      },
      column.member);
}

/// Reads one row; its errors name the place of the row.
class RunReader {
 public:
  RunReader(const Csv& csv, const CsvRow& row) : csv_(csv), row_(row) {}

  Result<Entry> read() {
    for (std::size_t i = 0; i < csv_.columns.size(); ++i)
      if (!row_.fields[i].empty()) PARCAST_TRY(take(csv_.columns[i], row_.fields[i]));
    if (entry_.kind != Kind::recording && entry_.kind != Kind::measurement)
      return error("a " + std::string(to_string(entry_.kind)) + " is no run",
                   "CSV carries recordings and measurements; export the others as JSON");
    if (entry_.processes < 1) return error("the row has no p", "write the number of processes");
    if (!(entry_.seconds > 0) && entry_.kind == Kind::measurement)
      return error("the row has no seconds above 0", "");
    if (entry_.tool_version.empty()) entry_.tool_version = entry_for(Kind::measurement).tool_version;
    std::sort(entry_.tags.begin(), entry_.tags.end());
    if (entry_.kind == Kind::recording && entry_.digest.empty())
      return error("the recording has no digest", "add it from its files: parcast store add");
    return std::move(entry_);
  }

 private:
  Error error(const std::string& what, const std::string& hint) const {
    return {what, csv_.place(row_), hint};
  }

  Result<void> take(const std::string& column, const std::string& text) {
    if (column == "kind") return take_kind(text);
    if (column == "tags") {
      for (const std::string& tag : split(text, ' ')) entry_.tags.push_back(tag);
      return {};
    }
    for (const CsvColumn& each : columns())
      if (column == each.name || (column == "processes" && each.name == std::string_view("p")))
        return std::visit([&](auto member) { return take_value(column, text, entry_.*member); }, each.member);
    return take_value(column, text, entry_.parameters[parameter_of_column(column)]);
  }
  Result<void> take_kind(const std::string& text) {
    const auto kind = kind_from(text);
    if (!kind)
      return error("kind " + text + " is not known",
                   did_you_mean(text, std::vector<std::string>{"recording", "measurement"}));
    entry_.kind = *kind;
    return {};
  }
  Result<void> take_value(const std::string&, const std::string& text, std::string& into) {
    return into = text, Result<void>();
  }
  Result<void> take_value(const std::string& column, const std::string& text, double& into) {
    const auto value = parse_in_range(text);
    if (!value)
      return error(column + " is \"" + text + "\", which is " + std::string(fault_of(text)),
                   "write it without a unit");
    into = *value;
    return {};
  }
  Result<void> take_value(const std::string& column, const std::string& text, std::int64_t& into) {
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > 1'000'000'000)
      return error(column + " is " + text + ", but must be a whole number of at least 1", "");
    into = *value;
    return {};
  }

  const Csv& csv_;
  const CsvRow& row_;
  Entry entry_ = entry_for(Kind::measurement);
};

Result<void> check_columns(const Csv& csv) {
  std::vector<std::string> missing = column_names();
  const bool counted = csv.column("p") || csv.column("processes");  // both names denote the same column
  std::erase_if(missing, [&](const std::string& name) {
    return csv.column(name) || (counted && (name == "p" || name == "processes"));
  });
  for (const std::string& column : csv.columns) {
    if (is_column(column) || column.size() < 3) continue;  // short names would resemble p by chance
    if (const auto near = nearest_name(column, missing))
      return Error{
          "column " + column + " is nearly " + *near, csv.where,
          "call it " + *near + ", or \"" + std::string(kParameter) + column + "\" if it is a parameter"};
  }
  return {};
}

/// Gives a row without a digest that of a measurement, distinct from earlier equal ones. A given digest must
/// match the row.
Result<void> settle_digest(Entry& entry, std::map<std::string, int>& seen, const std::string& place) {
  if (entry.kind != Kind::measurement) return {};
  const std::string first = measurement_digest(entry, 0);
  if (entry.digest.empty()) return entry.digest = measurement_digest(entry, seen[first]++), Result<void>();
  if (is_measurement_digest(entry)) return {};
  return Error{"the row is not the run that its digest names: it was changed", place,
               "empty its digest to take it in as another run"};
}

}  // namespace

std::string runs_to_csv(const std::vector<Entry>& entries) {
  std::set<std::string> parameters;
  const auto is_run = [](const Entry& entry) {
    return entry.kind == Kind::recording || entry.kind == Kind::measurement;
  };
  for (const Entry& entry : entries)
    if (is_run(entry))
      for (const auto& [name, value] : entry.parameters) parameters.insert(name);
  std::string out = "kind";
  for (const CsvColumn& column : columns()) out += std::string(",") + column.name;
  out += ",tags";
  for (const std::string& name : parameters) out += "," + csv_field(column_of_parameter(name));
  out += "\n";
  for (const Entry& entry : entries) {
    if (!is_run(entry)) continue;
    out += to_string(entry.kind);
    for (const CsvColumn& column : columns()) out += "," + value_text(entry, column);
    out += "," + csv_field(join(entry.tags, " "));
    for (const std::string& name : parameters) {
      const auto at = entry.parameters.find(name);
      out += "," + (at == entry.parameters.end() ? "" : format_exact(at->second));
    }
    out += "\n";
  }
  return out;
}

Result<std::vector<Entry>> runs_from_csv(const Csv& csv) {
  PARCAST_TRY(check_columns(csv));
  std::vector<Entry> out;
  std::map<std::string, int> seen;
  for (const CsvRow& row : csv.rows) {
    PARCAST_ASSIGN(Entry entry, RunReader(csv, row).read());
    PARCAST_TRY(settle_digest(entry, seen, csv.place(row)));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace parcast::store
