// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads and writes separated values with a header line (RFC 4180). Quotes, doubled quotes and both kinds of
// line ends are supported; a byte order mark is skipped. Every row keeps its line number. Blank lines and
// lines that begin with # are skipped.
//
// A spreadsheet evaluates a cell that begins with = + - @, a tab or a carriage return. The writer puts an
// apostrophe before such a text, and before a text that begins with apostrophes followed by one of these. The
// reader removes one apostrophe: "'=x" is read as "=x". Numbers and texts of one character are written
// unchanged.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast {

struct CsvRow {
  int line = 0;                     // line number in the file, from 1
  std::vector<std::string> fields;  // one per column, trimmed unless quoted
};

/// Reads one row at a time, each as wide as the header, and keeps no earlier rows. It refers to `text`, which
/// must outlive it.
class CsvReader {
 public:
  /// Fails when there is no header, or when a column has no name or the name of another column.
  static Result<CsvReader> open(std::string_view text, const std::string& where, char separator = ',');

  const std::vector<std::string>& columns() const { return columns_; }
  /// Reads the next row. Returns false at the end and then leaves `row` unchanged. Fails on a row whose
  /// length differs from the header's, on a row that repeats the header, and on an unclosed quote.
  Result<bool> next(CsvRow& row);
  /// Returns the place of a row, e.g. "runs.csv:7".
  std::string place(const CsvRow& row) const { return where_ + ":" + std::to_string(row.line); }

 private:
  CsvReader(std::string_view text, const std::string& where, char separator);
  Result<void> check_columns(int line) const;
  bool repeats_header(const CsvRow& row) const;
  Result<void> record(CsvRow& row);
  Result<void> field(std::string& out);
  Result<void> quoted(std::string& out);
  Result<void> after_quote();
  bool done();
  void skip_blanks();
  void end_line();
  std::string here(int line) const { return where_ + ":" + std::to_string(line); }

  std::string_view text_;
  std::string where_;
  char separator_;
  std::vector<std::string> columns_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// A complete file.
struct Csv {
  std::string where;  // name of the file, for messages
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;

  std::optional<std::size_t> column(std::string_view name) const;
  std::string place(const CsvRow& row) const { return where + ":" + std::to_string(row.line); }
};
Result<Csv> parse_csv(std::string_view text, const std::string& where);

/// Returns the separator: comma, semicolon or tab, whichever occurs most often outside quotes in the first
/// line that is neither blank nor a comment. Returns a comma when none occurs.
char csv_separator(std::string_view text);

/// Returns a field as written to a file: guarded against spreadsheets as above. It is quoted when it contains
/// a separator, a quote or a line end, or would otherwise not be read back unchanged.
std::string csv_field(std::string_view text);

}  // namespace parcast
