// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keeps entries in the tables of a database, one transaction per operation. An operation that fails only
// because of concurrent writers is retried for two minutes.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/difference.h"
#include "store/entry.h"
#include "store/place.h"
#include "store/query.h"

namespace parcast::store {

/// Number of new rows, and the existing rows whose parameters differ.
struct Put {
  std::size_t fresh = 0;
  std::vector<Difference> differing;
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const Place& place, bool create);
  ~Database();

  /// Writes all rows in one transaction, stamped with its time unless Stamp::kept is given. On return either
  /// all are durable, or none is kept.
  Result<Put> put(std::vector<Entry> entries, Stamp stamp);
  Result<Found> find(const Query& query, Content content);
  /// Returns the entries whose digest begins with `prefix` (hexadecimal digits), with content.
  Result<std::vector<Entry>> find(const std::string& prefix);
  /// Returns the distinct values of a column ("program", "machine") over all kinds that have it, or the names
  /// of parameters or tags ("parameter", "tag").
  Result<std::vector<std::string>> names(const std::string& what);
  Result<std::map<std::string, std::int64_t>> tags();

  Result<void> tag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  Result<void> untag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  /// Removes all entries or none, and returns what was removed. With `force` the predictions that refer to
  /// them are removed too; without it such predictions cause an error.
  Result<std::vector<Entry>> remove(const std::vector<Entry>& entries, bool force);
  /// Fails if the database reports damage, or if a row refers to one that does not exist.
  Result<void> check();

  const std::string& shown() const;

 private:
  struct Session;
  explicit Database(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace parcast::store
