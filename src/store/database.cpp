// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <type_traits>
#include <variant>

#include "store/instant.h"

namespace parcast::store {
namespace {

/// "PCST": tells a store from other SQLite files.
constexpr long long kApplication = 0x50435354;
constexpr int kBusySeconds = 60;

constexpr const char* kTables[] = {
    "CREATE TABLE recordings (digest TEXT PRIMARY KEY NOT NULL, stored_at TEXT NOT NULL, tool_version TEXT "
    "NOT NULL,"
    " path TEXT NOT NULL, program TEXT NOT NULL, machine TEXT NOT NULL, processes BIGINT NOT NULL,"
    " seconds DOUBLE PRECISION NOT NULL, started TEXT NOT NULL)",
    "CREATE TABLE models (digest TEXT PRIMARY KEY NOT NULL, stored_at TEXT NOT NULL, tool_version TEXT NOT "
    "NULL,"
    " path TEXT NOT NULL, program TEXT NOT NULL, content TEXT NOT NULL)",
    "CREATE TABLE machines (digest TEXT PRIMARY KEY NOT NULL, stored_at TEXT NOT NULL, tool_version TEXT NOT "
    "NULL,"
    " path TEXT NOT NULL, machine TEXT NOT NULL, content TEXT NOT NULL)",
    "CREATE TABLE predictions (digest TEXT PRIMARY KEY NOT NULL, stored_at TEXT NOT NULL, tool_version TEXT "
    "NOT NULL,"
    " program TEXT NOT NULL, machine TEXT NOT NULL, engine TEXT NOT NULL,"
    " model_digest TEXT NOT NULL REFERENCES models(digest), machine_digest TEXT NOT NULL REFERENCES "
    "machines(digest),"
    " processes BIGINT NOT NULL, nodes BIGINT NOT NULL, ranks_per_node BIGINT NOT NULL, threads BIGINT NOT "
    "NULL,"
    " seconds DOUBLE PRECISION NOT NULL, low DOUBLE PRECISION NOT NULL, high DOUBLE PRECISION NOT NULL,"
    " level DOUBLE PRECISION NOT NULL, content TEXT NOT NULL)",
    "CREATE TABLE measurements (digest TEXT PRIMARY KEY NOT NULL, stored_at TEXT NOT NULL, tool_version TEXT "
    "NOT NULL,"
    " source TEXT NOT NULL, program TEXT NOT NULL, machine TEXT NOT NULL, processes BIGINT NOT NULL, nodes "
    "BIGINT NOT NULL,"
    " ranks_per_node BIGINT NOT NULL, threads BIGINT NOT NULL, seconds DOUBLE PRECISION NOT NULL, "
    "measured_at TEXT NOT NULL)",
    "CREATE TABLE parameters (owner TEXT NOT NULL, name TEXT NOT NULL, value DOUBLE PRECISION NOT NULL,"
    " PRIMARY KEY (owner, name))",
    "CREATE TABLE model_sources (model TEXT NOT NULL REFERENCES models(digest), position BIGINT NOT NULL,"
    " recording TEXT NOT NULL, PRIMARY KEY (model, position))",
};

/// A column and the member of Entry that it holds.
struct Column {
  const char* name;
  std::variant<std::string Entry::*, std::int64_t Entry::*, double Entry::*> member;
};
struct Table {
  const char* name;
  std::vector<Column> columns;
  bool has_path;  // storing again renews the path
};

const Table& table_of(Kind kind) {
  const Column digest{"digest", &Entry::digest}, stored{"stored_at", &Entry::stored_at},
      version{"tool_version", &Entry::tool_version};
  const Column path{"path", &Entry::path}, source{"source", &Entry::path};
  const Column program{"program", &Entry::program}, machine{"machine", &Entry::machine};
  const Column processes{"processes", &Entry::processes}, nodes{"nodes", &Entry::nodes};
  const Column per_node{"ranks_per_node", &Entry::ranks_per_node}, threads{"threads", &Entry::threads};
  const Column seconds{"seconds", &Entry::seconds}, content{"content", &Entry::content};
  static const std::array<Table, kKinds.size()> tables{{
      {"recordings",
       {digest, stored, version, path, program, machine, processes, seconds, {"started", &Entry::began}},
       true},
      {"models", {digest, stored, version, path, program, content}, true},
      {"machines", {digest, stored, version, path, machine, content}, true},
      {"predictions",
       {digest,
        stored,
        version,
        program,
        machine,
        {"engine", &Entry::engine},
        {"model_digest", &Entry::model_digest},
        {"machine_digest", &Entry::machine_digest},
        processes,
        nodes,
        per_node,
        threads,
        seconds,
        {"low", &Entry::low},
        {"high", &Entry::high},
        {"level", &Entry::level},
        content},
       false},
      {"measurements",
       {digest,
        stored,
        version,
        source,
        program,
        machine,
        processes,
        nodes,
        per_node,
        threads,
        seconds,
        {"measured_at", &Entry::began}},
       false},
  }};
  return tables[static_cast<std::size_t>(kind)];
}

std::string names_of(const Table& table, const std::string& before, bool with_content) {
  std::string out;
  for (const Column& column : table.columns) {
    if (!with_content && std::string_view(column.name) == "content") continue;
    out += (out.empty() ? "" : ", ") + before + column.name;
  }
  return out;
}

void insert(soci::session& sql, const Entry& entry) {
  const Table& table = table_of(entry.kind);
  std::string text = std::string("INSERT INTO ") + table.name + " (" + names_of(table, "", true) +
                     ") VALUES (" + names_of(table, ":", true) + ") ON CONFLICT (digest) DO ";
  text += table.has_path && !entry.path.empty() ? "UPDATE SET path = excluded.path" : "NOTHING";
  soci::statement statement(sql);
  std::vector<long long> integers(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), std::int64_t Entry::*>) {
            integers[i] = entry.*member;
            statement.exchange(soci::use(integers[i]));
          } else {
            statement.exchange(soci::use(entry.*member));
          }
        },
        table.columns[i].member);
  }
  statement.alloc();
  statement.prepare(text);
  statement.define_and_bind();
  statement.execute(true);
}

void insert_details(soci::session& sql, const Entry& entry) {
  for (const auto& [name, value] : entry.parameters)
    sql << "INSERT INTO parameters (owner, name, value) VALUES (:owner, :name, :value) ON CONFLICT (owner, "
           "name) DO NOTHING",
        soci::use(entry.digest), soci::use(name), soci::use(value);
  for (std::size_t i = 0; i < entry.sources.size(); ++i) {
    const long long position = static_cast<long long>(i);
    sql << "INSERT INTO model_sources (model, position, recording) VALUES (:model, :position, :recording)"
           " ON CONFLICT (model, position) DO NOTHING",
        soci::use(entry.digest), soci::use(position), soci::use(entry.sources[i]);
  }
}

void read_column(const soci::row& row, const char* name, std::string& into) {
  into = row.get<std::string>(name);
}
void read_column(const soci::row& row, const char* name, double& into) {
  into = row.get<double>(name);
}
void read_column(const soci::row& row, const char* name, std::int64_t& into) {
  into = row.get<long long>(name);
}

Entry entry_from(const soci::row& row, Kind kind, bool with_content) {
  Entry entry;
  entry.kind = kind;
  for (const Column& column : table_of(kind).columns) {
    if (!with_content && std::string_view(column.name) == "content") continue;
    std::visit([&](auto member) { read_column(row, column.name, entry.*member); }, column.member);
  }
  return entry;
}

void read_details(soci::session& sql, Entry& entry) {
  const soci::rowset<soci::row> parameters =
      (sql.prepare << "SELECT name, value FROM parameters WHERE owner = :owner", soci::use(entry.digest));
  for (const soci::row& row : parameters) entry.parameters[row.get<std::string>(0)] = row.get<double>(1);
  const soci::rowset<std::string> sources =
      (sql.prepare << "SELECT recording FROM model_sources WHERE model = :model ORDER BY position",
       soci::use(entry.digest));
  entry.sources.assign(sources.begin(), sources.end());
}

std::vector<Entry> select(soci::session& sql, Kind kind, const std::string& prefix, bool with_content) {
  const Table& table = table_of(kind);
  const std::string text = "SELECT " + names_of(table, "", with_content) + " FROM " + table.name +
                           " WHERE substr(digest, 1, length(:prefix)) = :prefix2 ORDER BY stored_at, digest";
  std::vector<Entry> out;
  {
    const soci::rowset<soci::row> rows = (sql.prepare << text, soci::use(prefix), soci::use(prefix));
    for (const soci::row& row : rows) out.push_back(entry_from(row, kind, with_content));
  }
  for (Entry& entry : out) read_details(sql, entry);
  return out;
}

long long number(soci::session& sql, const std::string& query) {
  long long value = 0;
  sql << query, soci::into(value);
  return value;
}

/// Rolled back unless committed. One that writes takes the lock at its start: of two that read first and
/// write then, one could only fail.
class Transaction {
 public:
  enum class For { reading, writing };
  Transaction(soci::session& sql, For purpose) : sql_(sql) {
    sql_ << (purpose == For::writing ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) try {
        sql_ << "ROLLBACK";
      } catch (const soci::soci_error&) {  // SQLite has rolled back by itself
      }
  }
  void commit() {
    sql_ << "COMMIT";
    open_ = false;
  }

 private:
  soci::session& sql_;
  bool open_ = true;
};

/// What SQLite said, without the name of SOCI's function that it came through.
std::string said_by_sqlite(const soci::soci_error& problem) {
  const std::string what = problem.get_error_message();
  const auto function = what.find("::");
  const auto end = function == std::string::npos ? function : what.find(": ", function);
  return end == std::string::npos ? what : what.substr(end + 2);
}

Error error_of(const soci::soci_error& problem, const std::string& path) {
  const std::string what = said_by_sqlite(problem);
  const auto says = [&](std::string_view part) { return what.find(part) != std::string::npos; };
  if (says("not a database") || says("malformed"))
    return {"the file is damaged or is no store", path, "name another one with --store"};
  if (says("locked"))
    return {"another process has kept the store locked for a minute", path,
            "end it, or name another store with --store"};
  if (says("readonly"))
    return {"the store cannot be written", path, "check its permissions, or name another one with --store"};
  if (says("full") || says("I/O"))
    return {"the store cannot be written: " + what, path, "check the space on its file system"};
  return {"the store refused: " + what, path, ""};
}

/// Runs `action`, whose SOCI exceptions end here.
template <class Action>
auto guarded(const std::string& path, Action action) -> Result<decltype(action())> {
  try {
    if constexpr (std::is_void_v<decltype(action())>) {
      action();
      return {};
    } else {
      return action();
    }
  } catch (const soci::soci_error& problem) {
    return error_of(problem, path);
  }
}

Result<void> create_tables(soci::session& sql, const std::string& path) {
  Transaction transaction(sql, Transaction::For::writing);
  if (number(sql, "PRAGMA user_version") != 0) return {};  // another process was faster
  if (number(sql, "SELECT count(*) FROM sqlite_master") != 0)
    return Error{"the file is a database of another program", path, "name another one with --store"};
  for (const char* table : kTables) sql << table;
  sql << "PRAGMA application_id = " << kApplication;
  sql << "PRAGMA user_version = " << kSchema;
  transaction.commit();
  return {};
}

Result<void> prepare(soci::session& sql, const std::string& path) {
  sql << "PRAGMA foreign_keys = ON";
  if (number(sql, "PRAGMA user_version") == 0) PARCAST_TRY(create_tables(sql, path));
  if (number(sql, "PRAGMA application_id") != kApplication)
    return Error{"the file is a database of another program", path, "name another one with --store"};
  const long long schema = number(sql, "PRAGMA user_version");
  if (schema > kSchema)
    return Error{"the store was written by a newer version of Parcast (schema " + std::to_string(schema) +
                     ", this version knows " + std::to_string(kSchema) + "); it was not touched",
                 path, "use that version, or name another store with --store"};
  return {};
}

}  // namespace

struct Database::Session {
  soci::session sql;
};

Database::Database(std::string path, std::unique_ptr<Session> session)
    : path_(std::move(path)), session_(std::move(session)) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const std::string& path, bool create) {
  std::error_code problem;
  if (path.empty() || path.find('"') != std::string::npos)
    return Error{"\"" + path + "\" cannot name a store", "", "use a path without quotes"};
  if (!create && !std::filesystem::exists(path, problem))
    return Error{"there is no store", path,
                 "parcast record, model, calibrate and predict make one; or name another with --store"};
  if (std::filesystem::is_directory(path, problem))
    return Error{"it is a folder, not a store", path, "name a file, for example " + path + "/parcast.db"};
  auto session = std::make_unique<Session>();
  const auto opened = guarded(path, [&]() -> Result<void> {
    session->sql.open(soci::sqlite3, "dbname=\"" + path + "\" timeout=" + std::to_string(kBusySeconds));
    return prepare(session->sql, path);
  });
  if (!opened) return opened.error();
  PARCAST_TRY(*opened);
  return std::unique_ptr<Database>(new Database(path, std::move(session)));
}

Result<void> Database::put(std::vector<Entry> entries) {
  return guarded(path_, [&] {
    Transaction transaction(session_->sql, Transaction::For::writing);
    const std::string moment = to_string(now());  // not before the lock was had: it may have taken long
    for (Entry& entry : entries) {
      entry.stored_at = moment;
      insert(session_->sql, entry);
      insert_details(session_->sql, entry);
    }
    transaction.commit();
  });
}

Result<std::vector<Entry>> Database::list(std::optional<Kind> kind) {
  return guarded(path_, [&] {
    const Transaction one_state(session_->sql, Transaction::For::reading);
    std::vector<Entry> out;
    for (const Kind each : kKinds) {
      if (kind && *kind != each) continue;
      auto rows = select(session_->sql, each, "", false);
      out.insert(out.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    }
    return out;
  });
}

Result<std::vector<Entry>> Database::find(const std::string& prefix) {
  return guarded(path_, [&] {
    const Transaction one_state(session_->sql, Transaction::For::reading);
    std::vector<Entry> out;
    for (const Kind kind : kKinds)
      for (Entry& entry : select(session_->sql, kind, prefix, true)) out.push_back(std::move(entry));
    return out;
  });
}

Result<void> Database::check() {
  std::string verdict;
  const auto asked = guarded(path_, [&] {
    session_->sql << "PRAGMA integrity_check(1)", soci::into(verdict);
    if (verdict != "ok") return;
    for (const char* query :
         {"SELECT count(*) FROM pragma_foreign_key_check",
          "SELECT count(*) FROM parameters WHERE owner NOT IN (SELECT digest FROM recordings UNION ALL SELECT"
          " digest FROM predictions UNION ALL SELECT digest FROM measurements)"})
      if (number(session_->sql, query) != 0) verdict = "rows refer to others that are not there";
  });
  PARCAST_TRY(asked);
  if (verdict != "ok")
    return Error{"the store is damaged: " + verdict, path_, "keep a copy and start another with --store"};
  return {};
}

}  // namespace parcast::store
