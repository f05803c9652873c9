// SPDX-License-Identifier: Apache-2.0
#pragma once
// A PostgreSQL server for one test program. Its data and its socket are in a temporary folder, which is
// removed when the program ends in any way. initdb refuses root, so under root it runs as an unprivileged
// user.

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace parcast::store {

class PostgresqlServer {
 public:
  /// Returns whether the server's programs are installed.
  static bool available();

  /// Aborts with a message if the server does not start: PostgreSQL is installed, so tests must not be
  /// skipped.
  PostgresqlServer();
  ~PostgresqlServer();
  PostgresqlServer(const PostgresqlServer&) = delete;
  PostgresqlServer& operator=(const PostgresqlServer&) = delete;

  /// Returns the URL of a new, empty database.
  std::string new_database();
  std::string url(const std::string& database) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  pid_t server_ = -1;
  int databases_ = 0;
};

}  // namespace parcast::store
