// SPDX-License-Identifier: Apache-2.0
#pragma once
// In what SQL databases differ; all other SQL is the same for each. One file per database: sqlite_dialect.cpp,
// postgresql_dialect.cpp.

#include <soci/soci.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "store/place.h"

namespace parcast::store {

class Dialect {
 public:
  virtual ~Dialect() = default;

  /// Opens the session and sets it up so that what is committed is durable. Where there is no such file or database,
  /// `create` makes it if that is the database's way. May throw soci_error, as all below.
  virtual Result<void> connect(soci::session& sql, bool create) const = 0;

  /// Starts a transaction. One that writes takes what it must have at its start: of two that read first and write then,
  /// one could only fail.
  virtual void begin_writing(soci::session& sql) const = 0;
  /// One that sees a single state of the store.
  virtual void begin_reading(soci::session& sql) const = 0;

  /// The schema's version; 0 where no store was made yet.
  virtual int schema(soci::session& sql) const = 0;
  /// Within a transaction that writes: no other one changes the schema until its end.
  virtual void lock_schema(soci::session& sql) const = 0;
  /// A table that would be in the way of a new store; empty: none.
  virtual std::string foreign_table(soci::session& sql) const = 0;
  virtual void mark_schema(soci::session& sql, int version) const = 0;
  /// A statement of data definition as this database writes it: texts sort by their bytes.
  virtual std::string definition(const std::string& statement) const = 0;

  /// How many rows are best written by one statement: many where each is a way over the network and back.
  virtual std::size_t rows_at_once() const = 0;
  /// Now, on the clock by which rows are stamped: one clock for all who write.
  virtual std::string moment(soci::session& sql) const = 0;
  /// What the database itself finds damaged; empty: nothing.
  virtual std::string damage(soci::session& sql) const = 0;

  /// Whether it failed only because others write at the same time.
  virtual bool contended(const soci::soci_error& problem) const = 0;
  virtual Error error_of(const soci::soci_error& problem, const std::string& shown) const = 0;
};

std::unique_ptr<Dialect> sqlite_dialect(const Place& place);

/// That of PostgreSQL comes from a module (postgresql_module.h); an error where there is none or it cannot be loaded.
Result<std::unique_ptr<Dialect>> dialect_of(const Place& place);

inline long long number(soci::session& sql, const std::string& query) {
  long long value = 0;
  sql << query, soci::into(value);
  return value;
}

}  // namespace parcast::store
