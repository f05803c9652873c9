// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of a CSV file, with its column `parameters` split: "size=30;steps=10" becomes two columns, size
// and steps.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/csv.h"

namespace parcast::interchange {

class MeasurementTable {
 public:
  /// `text` must outlive the table. The separator is detected from the text.
  static Result<MeasurementTable> open(std::string_view text, const std::string& where);

  /// The columns, with the keys of `parameters` found in rows up to here. Keys that appear later are
  /// appended.
  const std::vector<std::string>& names() const { return names_; }
  bool is_key(std::size_t name) const { return name >= first_key_; }
  /// Moves to the next row; returns false at the end. Fails as CsvReader does, and on a cell of `parameters`
  /// that is not "key=value;key=value".
  Result<bool> next();
  /// The cells of the current row, one per name; empty where the row lacks the key.
  const std::vector<std::string>& cells() const { return cells_; }
  int line() const { return row_.line; }
  /// Returns the place of the current row: runs.csv:7
  std::string place() const { return where_ + ":" + std::to_string(row_.line); }
  /// Goes back to before the first row; the names stay.
  Result<void> rewind();

 private:
  MeasurementTable(std::string_view text, const std::string& where, CsvReader reader)
      : text_(text), where_(where), reader_(std::move(reader)) {}
  Result<void> take_apart(std::string_view parameters);

  std::string_view text_;
  std::string where_;
  CsvReader reader_;
  std::size_t first_key_ = 0;  // index into the names
  // index of the name that a column fills; kKeys for `parameters`
  std::vector<std::size_t> column_of_;
  std::unordered_map<std::string, std::size_t> keys_;  // indices of the names that keys fill
  std::vector<std::string> names_, cells_;
  CsvRow row_;
};

}  // namespace parcast::interchange
