// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of a CSV file with its column `parameters` taken apart: "size=30;steps=10" gives two columns, size and steps.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/csv.h"

namespace parcast::interchange {

class MeasurementTable {
 public:
  /// `text` must outlive it. The separator is the one that the text has.
  static Result<MeasurementTable> open(std::string_view text, const std::string& where);

  /// The columns, with keys in place of `parameters` as far as rows up to here had them; those that come later are appended.
  const std::vector<std::string>& names() const { return names_; }
  bool is_key(std::size_t name) const { return name >= first_key_; }
  /// False at the end. Fails as CsvReader does, and on a cell of `parameters` that is not "key=value;key=value".
  Result<bool> next();
  /// Of the row at hand, one for each name; empty where it has no such key.
  const std::vector<std::string>& cells() const { return cells_; }
  int line() const { return row_.line; }
  /// runs.csv:7
  std::string place() const { return where_ + ":" + std::to_string(row_.line); }
  /// Before the first row again; names stay.
  Result<void> rewind();

 private:
  MeasurementTable(std::string_view text, const std::string& where, CsvReader reader) : text_(text), where_(where), reader_(std::move(reader)) {}
  Result<void> take_apart(std::string_view parameters);

  std::string_view text_;
  std::string where_;
  CsvReader reader_;
  std::size_t first_key_ = 0;                           // of the names
  std::vector<std::size_t> column_of_;                  // name that a column fills; kKeys for `parameters`
  std::unordered_map<std::string, std::size_t> keys_;   // names that keys fill
  std::vector<std::string> names_, cells_;
  CsvRow row_;
};

}  // namespace parcast::interchange
