// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comma-separated values with a header line (RFC 4180: quotes, doubled quotes, line ends of both kinds),
// every row with the line it stands on. Blank lines and lines that begin with # are left out.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::store {

struct CsvRow {
  int line = 0;                     // of the file, from 1
  std::vector<std::string> fields;  // trimmed unless quoted; as many as columns
};

struct Csv {
  std::string where;  // name of the file
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;

  std::optional<std::size_t> column(std::string_view name) const;
  std::string place(const CsvRow& row) const { return where + ":" + std::to_string(row.line); }
};

/// Fails without a header, on a column named twice or not at all, on a row of another length, on an open
/// quote.
Result<Csv> parse_csv(std::string_view text, const std::string& where);

}  // namespace parcast::store
