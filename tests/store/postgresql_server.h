// SPDX-License-Identifier: Apache-2.0
#pragma once
// A PostgreSQL server for one test program: its data in a folder of its own, reached by a socket there alone, gone with the
// program, however that ends. initdb refuses root, so under root it runs as an unprivileged user.

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace parcast::store {

class PostgresqlServer {
 public:
  /// Whether the machine has the server's programs.
  static bool available();

  /// Aborts with a message when it does not start: the machine has PostgreSQL, so that is no reason to skip a test.
  PostgresqlServer();
  ~PostgresqlServer();
  PostgresqlServer(const PostgresqlServer&) = delete;
  PostgresqlServer& operator=(const PostgresqlServer&) = delete;

  /// The URL of a new, empty database.
  std::string new_database();
  std::string url(const std::string& database) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  pid_t server_ = -1;
  int databases_ = 0;
};

}  // namespace parcast::store
