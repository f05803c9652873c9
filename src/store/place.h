// SPDX-License-Identifier: Apache-2.0
#pragma once
// Location of a store: an SQLite file, or a database on a PostgreSQL server.
//
//   runs.db   sqlite:///data/runs.db   postgresql://user@host/runs   host=/run/postgresql dbname=runs

#include <string>

#include "base/result.h"

namespace parcast::store {

enum class Backend { sqlite, postgresql };

struct Place {
  Backend backend = Backend::sqlite;
  std::string connection;  // path of the file, or connection string for libpq
  std::string shown;       // name in messages, without the password
};

/// Parses a location. For an unknown scheme the error suggests the nearest known one.
Result<Place> place_of(const std::string& url);

}  // namespace parcast::store
