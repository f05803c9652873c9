// SPDX-License-Identifier: Apache-2.0
#include "interchange/measurement_columns.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/number_range.h"
#include "base/text.h"
#include "interchange/lower.h"
#include "interchange/measurement_units.h"

namespace parcast::interchange {
namespace {

using enum ColumnRole;

struct Named {
  std::string_view name;
  ColumnRole role;
};
constexpr auto kNamed = std::to_array<Named>({
    {"callpath", place},    {"call_path", place},    {"region", place},
    {"kernel", place},      {"function", place},     {"repetition", repetition},
    {"repeat", repetition}, {"rep", repetition},     {"run", repetition},
    {"trial", repetition},  {"sample", repetition},  {"metric", metric_name},
    {"value", value},       {"unit", unit},          {"parameters", unused},
    {"params", unused},     {"repetitions", unused}, {"measured_at", unused},
    {"date", unused},       {"timestamp", unused},   {"time_stamp", unused},
    {"start_time", unused}, {"end_time", unused},    {"started", unused},
    {"comment", unused},    {"note", unused},        {"source", unused},
    {"rank", rank},         {"mpi_rank", rank},
});
constexpr auto kMissing =
    std::to_array<std::string_view>({"nan", "inf", "infinity", "na", "n/a", "null", "none", "-"});

bool same(std::string_view a, std::string_view b) {
  const CellValue x = value_of(a), y = value_of(b);
  return x.kind == y.kind && (x.kind == Cell::number ? x.number == y.number : a == b);
}

void take(ColumnFacts& column, std::string_view cell, const MeasurementTable& table) {
  const CellValue value = value_of(cell);
  column.gaps |= cell.empty();
  if (cell.empty()) return;
  if (column.first.empty()) column.first = cell;
  column.numbers += value.kind == Cell::number || value.kind == Cell::extreme;
  column.fractions |= value.kind == Cell::number && value.number != std::floor(value.number);
  column.varies |= !same(cell, column.first);
  if (value.kind != Cell::text) return;
  if (!has_decimal_comma(cell)) {
    if (column.texts++ == 0) column.text_place = table.place(), column.text_cell = cell;
    return;
  }
  if (column.comma_place.empty()) column.comma_place = table.place(), column.comma_cell = cell;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Determines the roles of the columns, step by step.
class Sorting {
 public:
  Sorting(const std::vector<ColumnFacts>& columns, const MeasurementOptions& options,
          const std::string& where, MeasurementCollector& warnings)
      : columns_(columns),
        options_(options),
        where_(where),
        warnings_(warnings),
        roles_(columns.size(), unused) {}

  Result<std::vector<ColumnRole>> sort() {
    is_long_ = named("metric") && named("value") && !given("metric") && !given("value");
    PARCAST_TRY(check_names(options_.parameters, "parameter"));
    if (!is_long_) PARCAST_TRY(check_names(options_.metrics, "metric"));
    for (std::size_t i = 0; i < columns_.size(); ++i) roles_[i] = role_of(columns_[i]);
    if (!is_long_) find_unnamed();
    PARCAST_TRY(check_commas());
    PARCAST_TRY(check_texts());
    PARCAST_TRY(check_found());
    return roles_;
  }

 private:
  bool named(std::string_view name) const {
    return std::ranges::any_of(columns_,
                               [&](const ColumnFacts& column) { return lower(column.name) == name; });
  }
  bool given(const std::string& name) const {
    return has(options_.parameters, name) || has(options_.metrics, name);
  }

  Result<void> check_names(const std::vector<std::string>& wanted, const std::string& what) const {
    std::vector<std::string> names;
    for (const ColumnFacts& column : columns_) names.push_back(column.name);
    for (const std::string& name : wanted)
      if (!has(names, name))
        return Error{"there is no column " + name + " for a " + what, where_, did_you_mean(name, names)};
    return {};
  }

  ColumnRole role_of(const ColumnFacts& column) const {
    if (has(options_.parameters, column.name)) return parameter;
    if (!is_long_ && has(options_.metrics, column.name)) return metric;
    const auto by_name = role_by_name(column.name);
    if (by_name == metric_name || by_name == value)
      return is_long_ ? *by_name : by_name == value ? wide_value() : place_if_varies(column);
    if (by_name == place) return lower(column.name) == "callpath" ? place : place_if_varies(column);
    if (by_name) return *by_name;
    if (!is_long_ && names_metric(column.name)) return options_.metrics.empty() ? metric : unused;
    if (column.texts > 0) return place_if_varies(column);
    if (column.numbers + !column.comma_place.empty() == 0) return unused;
    if (is_long_ && options_.parameters.empty()) return parameter;
    return column.varies ? other : unused;
  }
  ColumnRole wide_value() const { return options_.metrics.empty() ? metric : unused; }
  static ColumnRole place_if_varies(const ColumnFacts& column) {
    return column.varies || (column.gaps && column.texts > 0) ? place : unused;
  }

  /// Assigns roles to numbers under unknown names. Keys, integers, and columns left of the first metric are
  /// parameters; fractions right of it are metrics.
  void find_unnamed() {
    const auto first = static_cast<std::size_t>(std::ranges::find(roles_, metric) - roles_.begin());
    std::vector<std::string> taken;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (roles_[i] != other) continue;
      const bool measured = i > first && !columns_[i].key && columns_[i].fractions;
      if (measured && options_.metrics.empty()) {
        roles_[i] = metric;
        taken.push_back(columns_[i].name);
      } else if (!measured && options_.parameters.empty()) {
        roles_[i] = parameter;
      }
    }
    if (!taken.empty())
      warnings_.warn(where_ + ": columns right of " + columns_[first].name +
                     " that hold fractions are taken as measured: " + join(taken, ", "));
  }

  Result<void> check_commas() const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const ColumnFacts& column = columns_[i];
      if (column.comma_place.empty() || roles_[i] == place || roles_[i] == unused ||
          roles_[i] == repetition || roles_[i] == rank)
        continue;
      return Error{column.name + " is " + column.comma_cell + ", with a comma in the number",
                   column.comma_place, "write numbers with a point: 1.5"};
    }
    return {};
  }

  /// Fails on a text among numbers in a column of no known name: it is rather a slip than a name.
  Result<void> check_texts() const {
    if (!options_.parameters.empty()) return {};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const ColumnFacts& column = columns_[i];
      if (roles_[i] != place || role_by_name(column.name) || column.numbers <= column.texts ||
          column.texts == 0)
        continue;
      return Error{column.name + " is \"" + column.text_cell + "\", and most of its cells are numbers",
                   column.text_place, "correct the cell, or name the parameters: --parameters p,n"};
    }
    return {};
  }

  Result<void> check_found() const {
    std::string last;
    for (const ColumnFacts& column : columns_)
      if (column.numbers > 0 && !has(options_.parameters, column.name)) last = column.name;
    if (std::ranges::find(roles_, metric) == roles_.end() && std::ranges::find(roles_, value) == roles_.end())
      return Error{"no column is known by its name to hold measured values", where_,
                   last.empty() ? "name it seconds, for example" : "name it: --metrics " + last};
    if (std::ranges::find(roles_, parameter) == roles_.end())
      return Error{"no column of numbers varies, so that there is no parameter", where_,
                   "name the parameters: --parameters p,n"};
    return {};
  }

  const std::vector<ColumnFacts>& columns_;
  const MeasurementOptions& options_;
  const std::string& where_;
  MeasurementCollector& warnings_;
  std::vector<ColumnRole> roles_;
  bool is_long_ = false;
};

}  // namespace

std::optional<double> constant_number(const ColumnFacts& column) {
  const CellValue value = value_of(column.first);
  const bool is_constant = value.kind == Cell::number && !column.varies && !column.gaps;
  return is_constant ? std::optional(value.number) : std::nullopt;
}

CellValue value_of(std::string_view cell) {
  if (cell.empty()) return {};
  std::string_view bare = cell;
  if (bare.front() == '+' && bare.size() > 1 && bare[1] != '-') bare.remove_prefix(1);
  if (const auto number = parse_in_range(bare)) return {Cell::number, *number};
  if (const auto fault = fault_of(bare); fault == kTooSmall || fault == kTooLarge)
    return {Cell::extreme, 0, fault};
  if (bare.front() == '-' && bare.size() > 1 && bare[1] != '-') bare.remove_prefix(1);
  return {std::ranges::find(kMissing, lower(bare)) != kMissing.end() ? Cell::missing : Cell::text};
}

bool has_decimal_comma(std::string_view cell) {
  const auto commas = std::ranges::count(cell, ',');
  const auto digit = [&](std::size_t at) {
    return at < cell.size() && std::isdigit(static_cast<unsigned char>(cell[at]));
  };
  for (std::size_t at = cell.find(','); at != std::string_view::npos; at = cell.find(',', at + 1)) {
    const bool thousands = digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4);
    if (!digit(at + 1) || (commas > 1 && !thousands)) return false;
  }
  std::string bare(cell);
  if (commas == 1)
    std::ranges::replace(bare, ',', bare.find('.') == std::string::npos ? '.' : '0');
  else
    std::erase(bare, ',');
  return commas > 0 && value_of(bare).kind == Cell::number;
}

std::optional<ColumnRole> role_by_name(std::string_view name) {
  const auto at = std::ranges::find(kNamed, lower(name), &Named::name);
  return at == kNamed.end() ? std::nullopt : std::optional(at->role);
}

Result<std::vector<ColumnFacts>> facts_of(MeasurementTable& table, const std::string& where) {
  std::vector<ColumnFacts> columns;
  std::uint64_t rows = 0;
  for (;; ++rows) {
    PARCAST_ASSIGN(const bool more, table.next());
    if (!more) break;
    for (std::size_t i = 0; i < table.names().size(); ++i) {
      if (i == columns.size())
        columns.push_back({.name = table.names()[i], .key = table.is_key(i), .gaps = rows > 0});
      take(columns[i], table.cells()[i], table);
    }
  }
  if (rows == 0) return Error{"the file has a header and no row", where, ""};
  PARCAST_TRY(table.rewind());
  return columns;
}

Result<std::vector<ColumnRole>> roles_of(const std::vector<ColumnFacts>& columns,
                                         const MeasurementOptions& options, const std::string& where,
                                         MeasurementCollector& warnings) {
  return Sorting(columns, options, where, warnings).sort();
}

}  // namespace parcast::interchange
