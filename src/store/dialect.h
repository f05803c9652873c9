// SPDX-License-Identifier: Apache-2.0
#pragma once
// The differences between SQL databases; all other SQL is shared. One source file per database:
// sqlite_dialect.cpp, postgresql_dialect.cpp.

#include <soci/soci.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "store/place.h"

namespace parcast::store {

class Dialect {
 public:
  virtual ~Dialect() = default;

  /// Opens the session and configures it so that committed data are durable. With `create` it makes a missing
  /// file, if the database is a file. May throw soci_error, as all functions below.
  virtual Result<void> connect(soci::session& sql, bool create) const = 0;

  /// Starts a transaction that writes. It takes its locks at the start: if two transactions first read and
  /// then wrote, one of them would have to fail.
  virtual void begin_writing(soci::session& sql) const = 0;
  /// Starts a transaction that reads a single state of the store.
  virtual void begin_reading(soci::session& sql) const = 0;

  /// Returns the version of the schema; 0 if there is no store yet.
  virtual int schema(soci::session& sql) const = 0;
  /// Within a transaction that writes: keeps other transactions from changing the schema until its end.
  virtual void lock_schema(soci::session& sql) const = 0;
  /// Returns a table that would conflict with a new store; empty if there is none.
  virtual std::string foreign_table(soci::session& sql) const = 0;
  virtual void mark_schema(soci::session& sql, int version) const = 0;
  /// Returns a statement of data definition in the syntax of this database, such that texts are sorted by
  /// their bytes.
  virtual std::string definition(const std::string& statement) const = 0;

  /// Returns the best number of rows per statement: many if each statement needs a network round trip.
  virtual std::size_t rows_at_once() const = 0;
  /// Returns the current time of the clock that stamps rows: one clock for all writers.
  virtual std::string moment(soci::session& sql) const = 0;
  /// Returns the damage that the database itself finds; empty if there is none.
  virtual std::string damage(soci::session& sql) const = 0;

  /// Returns whether a statement failed only because of concurrent writers.
  virtual bool contended(const soci::soci_error& problem) const = 0;
  virtual Error error_of(const soci::soci_error& problem, const std::string& shown) const = 0;
};

std::unique_ptr<Dialect> sqlite_dialect(const Place& place);

/// Returns the dialect of a place. That of PostgreSQL comes from a module (postgresql_module.h); fails if the
/// module is missing or cannot be loaded.
Result<std::unique_ptr<Dialect>> dialect_of(const Place& place);

inline long long number(soci::session& sql, const std::string& query) {
  long long value = 0;
  sql << query, soci::into(value);
  return value;
}

}  // namespace parcast::store
