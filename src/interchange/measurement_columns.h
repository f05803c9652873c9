// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which column of a CSV file means what: by its name, by what its cells are, or as the options say.

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
  metric,       // its cells are values
  place,        // part of the call path
  rank,         // whose value the row holds
  repetition,   // tells runs of one point apart
  unit,         // of the values in the row
  metric_name,  // of the value in the row
  value,        // of the metric that the row names
  other,        // numbers that are neither parameter nor metric
  unused,       // does not vary, or has nothing to do with it
};

/// What a cell holds. Missing: empty, or one of the words by which tools write that there is no value (nan, inf, NA, null, -).
/// Extreme: a number that is not computed with (base/number_range.h).
enum class Cell : std::uint8_t { empty, number, missing, extreme, text };
struct CellValue {
  Cell kind = Cell::empty;
  double number = 0;
  std::string_view fault = {};  // of an extreme number
};
CellValue value_of(std::string_view cell);
/// Whether it is a number with a comma in the place of the point.
bool has_decimal_comma(std::string_view cell);

/// What all rows have in common in one column.
struct ColumnFacts {
  std::string name;
  bool key = false;            // of the column `parameters`
  std::string first;           // cell that is not empty
  bool varies = false;         // among the cells that are not empty
  bool gaps = false;           // some are
  bool fractions = false;      // some number is not whole
  std::uint64_t numbers = 0, texts = 0;
  std::string comma_place;     // first decimal comma
  std::string comma_cell;
};
/// Reads all rows; the table is then before the first row again. Fails on a file without rows.
Result<std::vector<ColumnFacts>> facts_of(MeasurementTable& table, const std::string& where);

/// The role that a column has by its name alone, whatever it holds; nothing of most.
std::optional<ColumnRole> role_by_name(std::string_view name);

/// A role for each column. Fails when there is no metric or no parameter, on a name in the options that no column has, and on
/// numbers with decimal commas; what was found by position goes to `warnings`.
Result<std::vector<ColumnRole>> roles_of(const std::vector<ColumnFacts>& columns, const MeasurementOptions& options, const std::string& where,
                                         MeasurementCollector& warnings);

}  // namespace parcast::interchange
