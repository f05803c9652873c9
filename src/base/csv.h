// SPDX-License-Identifier: Apache-2.0
#pragma once
// Separated values with a header line (RFC 4180: quotes, doubled quotes, line ends of both kinds; a byte order mark is passed
// over), every row with the line it stands on. Blank lines and lines that begin with # are left out.
//
// A spreadsheet evaluates a cell that begins with = + - @, a tab or a carriage return. Such a text is written with an apostrophe before it,
// and so is one that begins with apostrophes before these; the reader takes one apostrophe away: "'=x" is read as "=x". Numbers and
// texts of one character are written as they are.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast {

struct CsvRow {
  int line = 0;                     // of the file, from 1
  std::vector<std::string> fields;  // trimmed unless quoted; as many as columns
};

/// One row after the other, as wide as the header, without keeping those before. Looks at `text`, which must outlive it.
class CsvReader {
 public:
  /// Fails without a header, and on a column named twice or not at all.
  static Result<CsvReader> open(std::string_view text, const std::string& where, char separator = ',');

  const std::vector<std::string>& columns() const { return columns_; }
  /// False at the end, and then `row` is as before. Fails on a row of another length than the header, on one that repeats the header, and on
  /// an open quote.
  Result<bool> next(CsvRow& row);
  /// runs.csv:7
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

/// All of a file.
struct Csv {
  std::string where;  // name of the file
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;

  std::optional<std::size_t> column(std::string_view name) const;
  std::string place(const CsvRow& row) const { return where + ":" + std::to_string(row.line); }
};
Result<Csv> parse_csv(std::string_view text, const std::string& where);

/// Which of comma, semicolon and tab stands most often in the first line that says something, outside quotes; a comma where
/// none does.
char csv_separator(std::string_view text);

/// A field as it is written: guarded against spreadsheets as above, and in quotes where it holds a separator, a quote or a line end, or
/// would not be read back as it is.
std::string csv_field(std::string_view text);

}  // namespace parcast
