// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries as rows: each kind's table, writing rows with their parameters, sources and tags, and reading them again.

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
  bool has_path;  // storing again renews the path

  bool has(std::string_view column) const;
};
const Table& table_of(Kind kind);

/// A condition with its values, which stand in the text as :v0, :v1, ...
struct Condition {
  std::string text = "1 = 1";
  std::vector<std::variant<std::string, double>> values;

  void require(const std::string& what) { text += " AND " + what; }
  /// Keeps the value and gives its name for the text.
  std::string bind(std::variant<std::string, double> value);
};

/// Writes rows of all kinds, several in one statement: over a network the round trips are what costs. Lives within a transaction.
class RowWriter {
 public:
  /// `at_once`: rows that one statement writes.
  RowWriter(soci::session& sql, Stamp stamp, std::size_t at_once);
  ~RowWriter();
  /// How many rows are new. One that was there keeps the earlier time; its path becomes the newest one, and of a recording its
  /// parameters become the newest ones. With Stamp::kept parameters stay, and the path where there is one.
  std::size_t write(std::span<const Entry> entries);
  /// Of rows that were there those that had other parameters, so far.
  const std::vector<Difference>& differing() const { return differing_; }

 private:
  struct Insert;
  struct Details;
  std::size_t write_some(std::span<const Entry> entries);  // of one kind, few enough for one statement
  void renew(const Entry& entry);
  void compare_parameters(const Entry& entry);

  soci::session& sql_;
  Stamp stamp_;
  std::size_t at_once_;
  std::unordered_map<Kind, std::unique_ptr<Insert>> inserts_;  // of as many rows as go at once
  std::unique_ptr<Details> details_;
  std::vector<Difference> differing_;
};

/// Oldest first, by digest where stored together.
std::vector<Entry> read_rows(soci::session& sql, Kind kind, const Condition& condition, Content content);
/// The same rows, counted.
std::int64_t count_rows(soci::session& sql, Kind kind, const Condition& condition);
void remove_row(soci::session& sql, const Entry& entry);

}  // namespace parcast::store
