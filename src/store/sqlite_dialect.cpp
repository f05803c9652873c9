// SPDX-License-Identifier: Apache-2.0
#include <soci/sqlite3/soci-sqlite3.h>

#include <filesystem>

#include "store/dialect.h"
#include "store/instant.h"

namespace parcast::store {
namespace {

/// "PCST": identifies a store among SQLite files.
constexpr long long kApplication = 0x50435354;
/// Seconds that SQLite waits for a lock before it reports that it is busy; the caller then retries.
constexpr int kBusySeconds = 20;

/// Returns SQLite's message without the name of the SOCI function.
std::string said_by_sqlite(const soci::soci_error& problem) {
  const std::string what = problem.get_error_message();
  const auto function = what.find("::");
  const auto end = function == std::string::npos ? function : what.find(": ", function);
  return end == std::string::npos ? what : what.substr(end + 2);
}

Error not_ours(const std::string& path) {
  return {"the file is a database of another program", path, "name another one with --store"};
}

class SqliteDialect : public Dialect {
 public:
  explicit SqliteDialect(std::string path) : path_(std::move(path)) {}

  Result<void> connect(soci::session& sql, bool create) const override {
    std::error_code problem;
    if (path_.empty() || path_.find('"') != std::string::npos)
      return Error{"\"" + path_ + "\" cannot name a store", "", "use a path without quotes"};
    if (!create && !std::filesystem::exists(path_, problem))
      return Error{"there is no store", path_,
                   "parcast record, model, calibrate and predict make one; or name another with --store"};
    if (std::filesystem::is_directory(path_, problem))
      return Error{"it is a folder, not a store", path_, "name a file, for example " + path_ + "/parcast.db"};
    sql.open(soci::sqlite3, "dbname=\"" + path_ + "\" timeout=" + std::to_string(kBusySeconds));
    if (number(sql, "PRAGMA user_version") != 0 && number(sql, "PRAGMA application_id") != kApplication)
      return not_ours(path_);
    sql << "PRAGMA foreign_keys = ON";
    sql << "PRAGMA synchronous = FULL";
    leave_write_ahead_log(sql);
    return {};
  }

  void begin_writing(soci::session& sql) const override { sql << "BEGIN IMMEDIATE"; }
  void begin_reading(soci::session& sql) const override { sql << "BEGIN"; }

  int schema(soci::session& sql) const override {
    return static_cast<int>(number(sql, "PRAGMA user_version"));
  }
  void lock_schema(soci::session&) const override {}  // the writer already holds the only lock
  std::string foreign_table(soci::session& sql) const override {
    std::string name;
    soci::indicator found = soci::i_null;
    sql << "SELECT min(name) FROM sqlite_master", soci::into(name, found);
    return found == soci::i_ok ? name : "";
  }
  void mark_schema(soci::session& sql, int version) const override {
    sql << "PRAGMA application_id = " << kApplication;
    sql << "PRAGMA user_version = " << version;
  }
  std::string definition(const std::string& statement) const override { return statement; }

  std::size_t rows_at_once() const override { return 1; }
  std::string moment(soci::session&) const override { return to_string(now()); }

  std::string damage(soci::session& sql) const override {
    std::string verdict;
    sql << "PRAGMA integrity_check(1)", soci::into(verdict);
    if (verdict != "ok") return verdict;
    return number(sql, "SELECT count(*) FROM pragma_foreign_key_check") == 0
               ? ""
               : "rows refer to others that are not there";
  }

  bool contended(const soci::soci_error& problem) const override {
    return said_by_sqlite(problem).find("locked") != std::string::npos;
  }

  Error error_of(const soci::soci_error& problem, const std::string& shown) const override {
    const std::string what = said_by_sqlite(problem);
    const auto says = [&](std::string_view part) { return what.find(part) != std::string::npos; };
    if (says("not a database") || says("malformed"))
      return {"the file is damaged or is no store", shown, "name another one with --store"};
    if (says("locked"))
      return {"another process has kept the store locked for two minutes", shown,
              "end it, or name another store with --store"};
    if (says("readonly"))
      return {"the store cannot be written", shown,
              "check its permissions, or name another one with --store"};
    if (says("full") || says("I/O"))
      return {"the store cannot be written: " + what, shown,
              "check that its file system has space and can lock files"};
    return {"the store refused: " + what, shown, ""};
  }

 private:
  /// Switches the write-ahead log off. It needs memory that all processes share, and so fails for processes
  /// on several nodes. Another program may have switched it on. It stays on while others have the file open.
  static void leave_write_ahead_log(soci::session& sql) {
    std::string mode;
    sql << "PRAGMA journal_mode", soci::into(mode);
    if (mode != "wal") return;
    try {
      sql << "PRAGMA journal_mode = DELETE", soci::into(mode);
    } catch (const soci::soci_error&) {  // it is open elsewhere
    }
  }

  std::string path_;
};

}  // namespace

std::unique_ptr<Dialect> sqlite_dialect(const Place& place) {
  return std::make_unique<SqliteDialect>(place.connection);
}

}  // namespace parcast::store
