// SPDX-License-Identifier: Apache-2.0
#pragma once
// Determines the role of each column of a CSV file: from the options, the name of the column, or its cells.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/measurement_collector.h"
#include "interchange/measurement_table.h"
#include "interchange/measurements.h"

namespace parcast::interchange {

enum class ColumnRole : std::uint8_t {
  parameter,
  metric,       // its cells are measured values
  place,        // part of the call path
  rank,         // the rank that the row's values belong to
  repetition,   // distinguishes runs of one point
  unit,         // unit of the values in the row
  metric_name,  // name of the metric of the row's value
  value,        // value of the metric that the row names
  other,        // numbers that are neither parameter nor metric
  unused,       // constant, or unrelated to the measurements
};

/// What a cell holds. Missing: empty, or one of the words that tools write for a missing value (nan, inf, NA,
/// null, -). Extreme: a number outside the range of computation (base/number_range.h).
enum class Cell : std::uint8_t { empty, number, missing, extreme, text };
struct CellValue {
  Cell kind = Cell::empty;
  double number = 0;
  std::string_view fault = {};  // why a number is extreme
};
CellValue value_of(std::string_view cell);
/// Returns whether the cell is a number with a decimal comma.
bool has_decimal_comma(std::string_view cell);

/// Properties of one column over all rows.
struct ColumnFacts {
  std::string name;
  bool key = false;        // made from a key of the column `parameters`
  std::string first;       // first cell that is not empty
  bool varies = false;     // the cells that are not empty differ
  bool gaps = false;       // some cells are empty
  bool fractions = false;  // some number is not an integer
  std::uint64_t numbers = 0, texts = 0;
  std::string comma_place;  // place of the first decimal comma
  std::string comma_cell;
  std::string text_place, text_cell;  // the first text
};
/// Reads all rows and then rewinds the table to the first row. Fails on a file without rows.
Result<std::vector<ColumnFacts>> facts_of(MeasurementTable& table, const std::string& where);

/// Returns the number that every row has, if there is one.
std::optional<double> constant_number(const ColumnFacts& column);

/// Returns the role that the name alone determines, whatever the column holds; nothing for most names.
std::optional<ColumnRole> role_by_name(std::string_view name);

/// Returns a role for each column. Fails if there is no metric or no parameter, if the options name a column
/// that does not exist, and on numbers with decimal commas. Roles found by the position of a column are
/// reported to `warnings`.
Result<std::vector<ColumnRole>> roles_of(const std::vector<ColumnFacts>& columns,
                                         const MeasurementOptions& options, const std::string& where,
                                         MeasurementCollector& warnings);

}  // namespace parcast::interchange
