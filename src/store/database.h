// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries as rows of SQL tables; database.cpp is the only file that sees SQL.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/entry.h"

namespace parcast::store {

constexpr int kSchema = 1;

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const std::string& path, bool create);
  ~Database();

  /// All rows in one transaction, stamped with its moment: either all are durable when this returns, or none
  /// is kept.
  Result<void> put(std::vector<Entry> entries);
  /// Oldest first, without content.
  Result<std::vector<Entry>> list(std::optional<Kind> kind);
  /// Entries whose digest begins with `prefix` (hexadecimal digits), with content.
  Result<std::vector<Entry>> find(const std::string& prefix);
  Result<void> check();

 private:
  struct Session;
  Database(std::string path, std::unique_ptr<Session> session);

  std::string path_;
  std::unique_ptr<Session> session_;
};

}  // namespace parcast::store
