// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a store is: a file of SQLite, or a database on a PostgreSQL server.
//
//   runs.db   sqlite:///data/runs.db   postgresql://user@host/runs   host=/run/postgresql dbname=runs

#include <string>

#include "base/result.h"

namespace parcast::store {

enum class Backend { sqlite, postgresql };

struct Place {
  Backend backend = Backend::sqlite;
  std::string connection;  // the file's path, or what libpq is given
  std::string shown;       // as messages name it: no password
};

/// A text with another scheme is an error that names the nearest one.
Result<Place> place_of(const std::string& url);

}  // namespace parcast::store
