// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries in the tables of a database, whole transactions at a time. What fails only because others write at the same time is
// tried again for two minutes.

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

/// How many rows were new, and which of the others had other parameters.
struct Put {
  std::size_t fresh = 0;
  std::vector<Difference> differing;
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const Place& place, bool create);
  ~Database();

  /// All rows in one transaction, stamped with its moment unless Stamp::kept: either all are durable when this returns, or none
  /// is kept.
  Result<Put> put(std::vector<Entry> entries, Stamp stamp);
  Result<Found> find(const Query& query, Content content);
  /// Entries whose digest begins with `prefix` (hexadecimal digits), with content.
  Result<std::vector<Entry>> find(const std::string& prefix);
  /// The different values of a column ("program", "machine") over all kinds that have it, or of "parameter" and "tag".
  Result<std::vector<std::string>> names(const std::string& what);
  Result<std::map<std::string, std::int64_t>> tags();

  Result<void> tag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  Result<void> untag(const std::vector<Entry>& entries, const std::vector<std::string>& tags);
  /// Removes them, or none. With `force` the predictions that refer to them go too, else these are an error. What went.
  Result<std::vector<Entry>> remove(const std::vector<Entry>& entries, bool force);
  /// That the database finds itself whole and that no row hangs on one that is not there.
  Result<void> check();

  const std::string& shown() const;

 private:
  struct Session;
  explicit Database(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace parcast::store
