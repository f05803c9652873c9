// SPDX-License-Identifier: Apache-2.0
#include <soci/postgresql/soci-postgresql.h>

#include <array>

#include "base/text.h"
#include "store/dialect.h"
#include "store/postgresql_module.h"

namespace parcast::store {
namespace {

/// "PCST": the holder of this advisory lock may change the schema.
constexpr long long kSchemaLock = 0x50435354;

/// Returns the SQLSTATE, the five characters of the error code (PostgreSQL, appendix A); empty if the
/// connection itself failed.
std::string state_of(const soci::soci_error& problem) {
  const auto* known = dynamic_cast<const soci::postgresql_soci_error*>(&problem);
  return known ? known->sqlstate() : std::string();
}

/// Returns the first line of the server's message, without severity and SOCI's prefix.
std::string said_by_server(const soci::soci_error& problem) {
  std::string what = problem.get_error_message();
  if (const auto line = what.find('\n'); what.starts_with("Cannot establish") && line != std::string::npos)
    what = what.substr(line + 1);
  for (const std::string_view severity : {"FATAL:", "ERROR:"})
    if (const auto at = what.find(severity); at != std::string::npos)
      what = what.substr(at + severity.size());
  what = what.substr(0, what.find('\n'));
  return std::string(trim(what));
}

class PostgresqlDialect : public Dialect {
 public:
  explicit PostgresqlDialect(Place place) : place_(std::move(place)) {}

  Result<void> connect(soci::session& sql, bool) const override {
    sql.open(soci::postgresql, place_.connection);
    // Overrides the server's defaults: commits are durable, doubles are exact, no messages on stderr.
    for (const char* setting :
         {"client_min_messages TO warning", "synchronous_commit TO on", "extra_float_digits TO 3",
          "client_encoding TO 'UTF8'", "standard_conforming_strings TO on"})
      sql << std::string("SET ") + setting;
    return {};
  }

  void begin_writing(soci::session& sql) const override { sql << "BEGIN"; }
  void begin_reading(soci::session& sql) const override {
    sql << "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
  }

  int schema(soci::session& sql) const override {
    if (number(sql,
               "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND"
               " table_name = 'parcast_schema'") == 0)
      return 0;
    return static_cast<int>(number(sql, "SELECT max(version) FROM parcast_schema"));
  }
  void lock_schema(soci::session& sql) const override {
    long long ignored = 0;
    sql << "SELECT count(*) FROM pg_advisory_xact_lock(" << kSchemaLock << ")", soci::into(ignored);
  }
  /// Other tables may be in the same database, but none with our names.
  std::string foreign_table(soci::session& sql) const override {
    std::string name;
    soci::indicator found = soci::i_null;
    sql << "SELECT min(table_name) FROM information_schema.tables WHERE table_schema = current_schema() AND "
           "table_name IN"
           " ('recordings', 'models', 'machines', 'predictions', 'measurements', 'calibrations', "
           "'parameters', 'model_sources', 'tags')",
        soci::into(name, found);
    return found == soci::i_ok ? name : "";
  }
  void mark_schema(soci::session&, int) const override {}  // the row in parcast_schema holds the version
  std::string definition(const std::string& statement) const override {
    std::string out;
    constexpr std::string_view kType = " TEXT";
    std::size_t from = 0;
    for (auto at = statement.find(kType); at != std::string::npos; at = statement.find(kType, from)) {
      out += statement.substr(from, at + kType.size() - from) + " COLLATE \"C\"";
      from = at + kType.size();
    }
    return out + statement.substr(from);
  }

  std::size_t rows_at_once() const override { return 64; }
  std::string moment(soci::session& sql) const override {
    std::string text;
    sql << "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
        soci::into(text);
    return text;
  }
  // the server enforces references by constraints
  std::string damage(soci::session&) const override { return ""; }

  bool contended(const soci::soci_error& problem) const override {
    static constexpr std::array<std::string_view, 5> kStates{
        "40001",  // serialization failure
        "40P01",  // deadlock
        "55P03",  // lock not available
        "53300",  // too many connections
        "57P03",  // the server is starting
    };
    const std::string state = state_of(problem);
    for (const std::string_view each : kStates)
      if (state == each) return true;
    const std::string what = problem.get_error_message();
    return what.find("too many clients") != std::string::npos ||
           what.find("starting up") != std::string::npos;
  }

  Error error_of(const soci::soci_error& problem, const std::string& shown) const override {
    const std::string state = state_of(problem);
    const std::string what = said_by_server(problem);
    if (state.empty() && what.find("does not exist") != std::string::npos)
      return {"the server's message: " + what, shown,
              "make the database with createdb, or name another with --store"};
    if (state.empty() || state.starts_with("08") || state.starts_with("57P") || state.starts_with("28"))
      return {"the database cannot be reached: " + what, shown,
              "check the host, the user and that the server runs"};
    if (state == "22021" || state == "22P05")
      return {"a name or path holds bytes that are not UTF-8, which PostgreSQL does not keep", shown,
              "rename it, or keep it in a file with --store PATH"};
    if (state == "42501" || state == "25006")
      return {"the store cannot be written: " + what, shown,
              "ask for the permission, or name another one with --store"};
    if (contended(problem))
      return {"others have kept the store busy for two minutes: " + what, shown, "try again later"};
    return {"the store refused: " + what, shown, ""};
  }

 private:
  Place place_;
};

}  // namespace
}  // namespace parcast::store

extern "C" {

const char parcast_postgresql_version[] = PARCAST_VERSION;

parcast::store::Dialect* parcast_postgresql_dialect(const parcast::store::Place* place) {
  return new parcast::store::PostgresqlDialect(*place);
}
}
