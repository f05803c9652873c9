// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts between entries and rows: the table of each kind, and functions that write and read rows with
// their parameters, sources and tags.

#include <soci/soci.h>

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "store/difference.h"
#include "store/entry.h"
#include "store/query.h"

namespace parcast::store {

/// A column and the member of Entry that it holds.
struct Column {
  const char* name;
  std::variant<std::string Entry::*, std::int64_t Entry::*, double Entry::*> member;
};
struct Table {
  const char* name;
  std::vector<Column> columns;
  bool has_path;  // storing an entry again updates the path

  bool has(std::string_view column) const;
};
const Table& table_of(Kind kind);

/// A condition with its values, which the text refers to as :v0, :v1, ...
struct Condition {
  std::string text = "1 = 1";
  std::vector<std::variant<std::string, double>> values;

  void require(const std::string& what) { text += " AND " + what; }
  /// Keeps the value and returns its placeholder for the text.
  std::string bind(std::variant<std::string, double> value);
};

/// Writes rows of all kinds, several per statement, because over a network round trips dominate the cost. To
/// be used within a transaction.
class RowWriter {
 public:
  /// `at_once`: number of rows per statement.
  RowWriter(soci::session& sql, Stamp stamp, std::size_t at_once);
  ~RowWriter();
  /// Writes the entries and returns the number of new rows. An existing row keeps the earlier time. Its path
  /// is replaced, and for a recording also its parameters. With Stamp::kept the parameters stay, and so does
  /// a path that is not empty.
  std::size_t write(std::span<const Entry> entries);
  /// The existing rows so far whose parameters differed.
  const std::vector<Difference>& differing() const { return differing_; }

 private:
  struct Insert;
  struct Details;
  std::size_t write_some(std::span<const Entry> entries);  // all of one kind, few enough for one statement
  void renew(const Entry& entry);
  void compare_parameters(const Entry& entry);

  soci::session& sql_;
  Stamp stamp_;
  std::size_t at_once_;
  std::unordered_map<Kind, std::unique_ptr<Insert>> inserts_;  // statements with the full number of rows
  std::unique_ptr<Details> details_;
  std::vector<Difference> differing_;
};

/// Returns rows, oldest first; rows stored at the same time by digest.
std::vector<Entry> read_rows(soci::session& sql, Kind kind, const Condition& condition, Content content);
/// Returns the number of these rows.
std::int64_t count_rows(soci::session& sql, Kind kind, const Condition& condition);
void remove_row(soci::session& sql, const Entry& entry);

}  // namespace parcast::store
