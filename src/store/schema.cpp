// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <string>
#include <utility>
#include <vector>

#include "store/instant.h"
#include "store/transaction.h"

namespace parcast::store {
namespace {

/// A step from the previous schema to this one. Steps of released schemas never change.
struct Step {
  std::vector<std::string> definitions;
  void (*fill)(soci::session&) = nullptr;  // fills the new columns of existing rows
};

constexpr const char* kStamps =
    " (digest TEXT PRIMARY KEY NOT NULL, stored_at TEXT NOT NULL, tool_version TEXT NOT NULL,";

std::string table(const std::string& name, const std::string& columns) {
  return "CREATE TABLE " + name + kStamps + columns + ")";
}

Step first() {
  const std::string placed =
      " processes BIGINT NOT NULL, nodes BIGINT NOT NULL, ranks_per_node BIGINT NOT NULL, threads BIGINT NOT "
      "NULL,"
      " seconds DOUBLE PRECISION NOT NULL,";
  return {{
      table("recordings",
            " path TEXT NOT NULL, program TEXT NOT NULL, machine TEXT NOT NULL, processes BIGINT NOT NULL,"
            " seconds DOUBLE PRECISION NOT NULL, started TEXT NOT NULL"),
      table("models", " path TEXT NOT NULL, program TEXT NOT NULL, content TEXT NOT NULL"),
      table("machines", " path TEXT NOT NULL, machine TEXT NOT NULL, content TEXT NOT NULL"),
      table("predictions",
            " program TEXT NOT NULL, machine TEXT NOT NULL, engine TEXT NOT NULL,"
            " model_digest TEXT NOT NULL REFERENCES models(digest),"
            " machine_digest TEXT NOT NULL REFERENCES machines(digest)," +
                placed +
                " low DOUBLE PRECISION NOT NULL, high DOUBLE PRECISION NOT NULL,"
                " level DOUBLE PRECISION NOT NULL, content TEXT NOT NULL"),
      table("measurements", " source TEXT NOT NULL, program TEXT NOT NULL, machine TEXT NOT NULL," + placed +
                                " measured_at TEXT NOT NULL"),
      "CREATE TABLE parameters (owner TEXT NOT NULL, name TEXT NOT NULL, value DOUBLE PRECISION NOT NULL, "
      "PRIMARY KEY (owner, name))",
      "CREATE TABLE model_sources (model TEXT NOT NULL REFERENCES models(digest), position BIGINT NOT NULL,"
      " recording TEXT NOT NULL, PRIMARY KEY (model, position))",
  }};
}

/// Fills the start times of runs as texts that sort by time.
void fill_began_at(soci::session& sql) {
  for (const auto& [name, column] :
       {std::pair("recordings", "started"), std::pair("measurements", "measured_at")}) {
    std::vector<std::pair<std::string, std::string>> rows;
    const soci::rowset<soci::row> read =
        (sql.prepare << std::string("SELECT digest, ") + column + " FROM " + name);
    for (const soci::row& row : read) rows.emplace_back(row.get<std::string>(0), row.get<std::string>(1));
    for (const auto& [digest, written] : rows) {
      const std::string moment = sortable(written);
      sql << std::string("UPDATE ") + name + " SET began_at = :moment WHERE digest = :digest",
          soci::use(moment), soci::use(digest);
    }
  }
}

/// Adds tags, start times of runs, the version that made each schema, and indexes for the queries.
Step second() {
  return {{
              "CREATE TABLE parcast_schema (version BIGINT PRIMARY KEY NOT NULL, tool_version TEXT NOT NULL, "
              "applied_at TEXT NOT NULL)",
              "CREATE TABLE tags (owner TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (owner, tag))",
              "ALTER TABLE recordings ADD COLUMN began_at TEXT NOT NULL DEFAULT ''",
              "ALTER TABLE measurements ADD COLUMN began_at TEXT NOT NULL DEFAULT ''",
              "CREATE INDEX recordings_by_program ON recordings (program, processes)",
              "CREATE INDEX recordings_by_time ON recordings (began_at)",
              "CREATE INDEX measurements_by_program ON measurements (program, processes)",
              "CREATE INDEX measurements_by_time ON measurements (began_at)",
              "CREATE INDEX predictions_by_program ON predictions (program, processes)",
              "CREATE INDEX predictions_by_model ON predictions (model_digest)",
              "CREATE INDEX predictions_by_machine ON predictions (machine_digest)",
              "CREATE INDEX parameters_by_value ON parameters (name, value)",
              "CREATE INDEX model_sources_by_recording ON model_sources (recording)",
              "CREATE INDEX tags_by_tag ON tags (tag)",
          },
          fill_began_at};
}

Step third() {
  return {{
      table("calibrations",
            " path TEXT NOT NULL, machine TEXT NOT NULL, machine_digest TEXT NOT NULL REFERENCES "
            "machines(digest), content TEXT NOT NULL"),
      "CREATE INDEX calibrations_by_machine ON calibrations (machine_digest)",
  }};
}

const std::vector<Step>& steps() {
  static const std::vector<Step> all{first(), second(), third()};
  static_assert(kSchema == 3, "a new schema is a new step");
  return all;
}

void take_step(soci::session& sql, const Dialect& dialect, int version) {
  const Step& step = steps()[static_cast<std::size_t>(version - 1)];
  for (const std::string& definition : step.definitions) sql << dialect.definition(definition);
  if (step.fill) step.fill(sql);
}

void sign(soci::session& sql, const Dialect& dialect, int version) {
  const std::string by = PARCAST_VERSION, moment = dialect.moment(sql);
  sql << "INSERT INTO parcast_schema (version, tool_version, applied_at) VALUES (:version, :by, :moment)",
      soci::use(version), soci::use(by), soci::use(moment);
  dialect.mark_schema(sql, version);
}

Result<void> make_tables(soci::session& sql, const Dialect& dialect, const std::string& shown) {
  Transaction transaction(sql, dialect, Transaction::For::writing);
  dialect.lock_schema(sql);
  if (dialect.schema(sql) != 0) return {};  // another process was faster
  if (const std::string foreign = dialect.foreign_table(sql); !foreign.empty())
    return Error{"it is a database of another program, with a table " + foreign, shown,
                 "name another one with --store"};
  for (int version = 1; version <= kSchema; ++version) take_step(sql, dialect, version);
  sign(sql, dialect, kSchema);
  transaction.commit();
  return {};
}

void migrate_to(soci::session& sql, const Dialect& dialect, int version) {
  Transaction transaction(sql, dialect, Transaction::For::writing);
  dialect.lock_schema(sql);
  if (dialect.schema(sql) != version - 1) return;  // another process was faster
  take_step(sql, dialect, version);
  sign(sql, dialect, version);
  transaction.commit();
}

/// Returns the version of Parcast that made the schema, if the store has it.
std::string maker_of(soci::session& sql, int version) {
  try {
    std::string by;
    sql << "SELECT tool_version FROM parcast_schema WHERE version = :version", soci::use(version),
        soci::into(by);
    if (sql.got_data()) return "Parcast " + by;
  } catch (const soci::soci_error&) {  // a newer schema may lack this table
  }
  return "a newer version of Parcast";
}

}  // namespace

Result<void> bring_up_to_date(soci::session& sql, const Dialect& dialect, const std::string& shown,
                              bool create) {
  int schema = dialect.schema(sql);
  if (schema == 0 && !create)
    if (const std::string foreign = dialect.foreign_table(sql); foreign.empty())
      return Error{"the database holds no store", shown,
                   "parcast record, model, calibrate and predict make one; or name another with --store"};
  if (schema == 0) PARCAST_TRY(make_tables(sql, dialect, shown));
  schema = dialect.schema(sql);
  if (schema > kSchema)
    return Error{"the store was written by " + maker_of(sql, schema) + " (schema " + std::to_string(schema) +
                     ", this version, " PARCAST_VERSION ", supports " + std::to_string(kSchema) +
                     "); it was not touched",
                 shown, "use that version, or name another store with --store"};
  for (int next = schema + 1; next <= kSchema; ++next) migrate_to(sql, dialect, next);
  return {};
}

}  // namespace parcast::store
