// SPDX-License-Identifier: Apache-2.0
// Opening a store from: nothing, an older version's store, a newer one's, another program's data.
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "store/databases.h"

namespace parcast::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreSchema : public OnEachDatabase {};
ON_EACH_DATABASE(StoreSchema);

TEST_P(StoreSchema, ANewerStoreIsRefusedAndNotTouched) {
  { ASSERT_TRUE(open().add_measurement(run_number(1))); }
  execute("s",
          "INSERT INTO parcast_schema (version, tool_version, applied_at) VALUES (9, '7.1.0', "
          "'2030-01-01T00:00:00.000000Z')");
  if (GetParam() == Backend::sqlite) execute("s", "PRAGMA user_version = 9");
  for (const auto& refused : {Store::open(url()), Store::open_existing(url())})
    EXPECT_THAT(error_of(refused),
                testing::AllOf(HasSubstr("written by Parcast 7.1.0 (schema 9, this version, "),
                               HasSubstr(", supports 3); it was not touched\n  use that version")));
  execute("s", "DELETE FROM parcast_schema WHERE version = 9");
  if (GetParam() == Backend::sqlite) execute("s", "PRAGMA user_version = 3");
  EXPECT_EQ(open().list()->size(), 1u);
}

TEST_P(StoreSchema, AnEmptyDatabaseIsNoStoreUntilSomethingIsKept) {
  const auto existing = Store::open_existing(url("empty"));
  EXPECT_THAT(error_of(existing),
              HasSubstr(GetParam() == Backend::sqlite ? "there is no store" : "the database holds no store"));
  { ASSERT_TRUE(Store::open(url("empty"))); }
  EXPECT_TRUE(Store::open_existing(url("empty")));
}

TEST_P(StoreSchema, TablesOfAnotherProgramAreRefused) {
  execute("foreign", "CREATE TABLE models (title TEXT)");
  EXPECT_THAT(error_of(Store::open(url("foreign"))),
              HasSubstr("a database of another program, with a table models"));
}

std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A store as version 0.1.0 wrote it with schema 1 (fixtures/schema-1.sql).
std::string released_store(const Folder& folder) {
  soci::session sql(soci::sqlite3, "dbname=" + folder.file("old.db"));
  const std::string dump = slurp(PARCAST_SOURCE_DIR "/tests/store/fixtures/schema-1.sql");
  auto* backend = static_cast<soci::sqlite3_session_backend*>(sql.get_backend());
  EXPECT_EQ(sqlite_api::sqlite3_exec(backend->conn_, dump.c_str(), nullptr, nullptr, nullptr), 0);
  return folder.file("old.db");
}

TEST(SchemaOne, IsBroughtUpToDateWithAllItsEntries) {
  const Folder folder;
  const std::string path = released_store(folder);
  const auto store = Store::open_existing(path);
  ASSERT_TRUE(store) << error_of(store);
  EXPECT_TRUE(store->check()) << error_of(store->check());
  const auto all = store->list();
  ASSERT_TRUE(all);
  std::vector<std::string> kinds;
  for (const Entry& entry : *all) kinds.push_back(std::string(to_string(entry.kind)));
  EXPECT_THAT(kinds,
              ElementsAre("recording", "model", "machine", "prediction", "measurement", "measurement"));
  const Entry& recording = all->front();
  EXPECT_EQ(recording.path, "/data/wave-1.recording");
  EXPECT_EQ(recording.parameters, (std::map<std::string, double>{{"N", 64}, {"dt", 0.1}}));
  EXPECT_EQ(recording.seconds, 1.75);
  EXPECT_THAT(all->at(1).sources, ElementsAre("aaaa", "bbbb"));
  EXPECT_THAT(store->show(all->at(3).digest)->content, HasSubstr("\"schema\": \"parcast.prediction/1\""));
  // Times as schema 2 stores them for searching: 10:00 at +02:00 is 8:00; "yesterday" is no time.
  EXPECT_EQ(recording.began_at, "2026-11-21T08:00:00.000000Z");
  EXPECT_EQ(all->at(4).began, "2026-11-21T10:00:00+02:00");
  EXPECT_EQ(all->at(4).began_at, "2026-11-21T08:00:00.000000Z");
  EXPECT_EQ(all->at(5).began, "yesterday");
  EXPECT_EQ(all->at(5).began_at, "");
}

TEST(SchemaOne, GrowsIntoTheTablesOfANewStore) {
  const Folder folder;
  const std::string old = released_store(folder), fresh = folder.file("new.db");
  { ASSERT_TRUE(Store::open(old) && Store::open(fresh)); }
  const auto described = [](const std::string& path) {
    soci::session sql(soci::sqlite3, "dbname=" + path);
    std::vector<std::string> out;
    const soci::rowset<std::string> columns =
        (sql.prepare << "SELECT m.type || ' ' || m.name || ' ' || coalesce(c.name || ' ' || c.type || ' ' || "
                        "c.\"notnull\" || ' ' || c.pk, '')"
                        " FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c ORDER BY 1");
    out.assign(columns.begin(), columns.end());
    return out;
  };
  EXPECT_GT(described(fresh).size(), 70u);
  EXPECT_EQ(described(old), described(fresh));
}

TEST(SchemaOne, IsLeftAsItWasWhenAStepFails) {
  const Folder folder;
  const std::string path = released_store(folder);
  const auto query = [&](const std::string& text) {
    soci::session sql(soci::sqlite3, "dbname=" + path);
    int value = -1;
    sql << text, soci::into(value);
    return value;
  };
  soci::session(soci::sqlite3, "dbname=" + path) << "CREATE TABLE tags (in_the_way TEXT)";
  const auto refused = Store::open(path);
  EXPECT_THAT(error_of(refused), HasSubstr("table tags already exists"));
  EXPECT_EQ(query("PRAGMA user_version"), 1);
  EXPECT_EQ(query("SELECT count(*) FROM sqlite_master WHERE name = 'parcast_schema'"), 0);
}

TEST(SqliteFile, OfAnotherProgramOrDamagedIsRefused) {
  const Folder folder;
  const auto execute = [&](const std::string& name, const std::string& text) {
    soci::session(soci::sqlite3, "dbname=" + folder.file(name)) << text;
  };
  execute("foreign.db", "CREATE TABLE songs (title TEXT)");
  EXPECT_THAT(error_of(Store::open(folder.file("foreign.db"))),
              HasSubstr("a database of another program, with a table songs"));
  execute("foreign2.db", "CREATE TABLE songs (title TEXT)");
  execute("foreign2.db", "PRAGMA user_version = 1");
  EXPECT_THAT(error_of(Store::open(folder.file("foreign2.db"))), HasSubstr("a database of another program"));
  folder.write("text.db", std::string(5000, 'x'));
  EXPECT_THAT(error_of(Store::open(folder.file("text.db"))), HasSubstr("the file is damaged or is no store"));
}

TEST(SqliteFile, IsNamedByAPathOrAUrl) {
  const Folder folder;
  EXPECT_TRUE(Store::open("sqlite://" + folder.file("a b  c=d.db")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("a b  c=d.db")));
  EXPECT_THAT(error_of(Store::open_existing(folder.file("none.db"))),
              HasSubstr("none.db: error: there is no store"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("none.db")));
  EXPECT_THAT(error_of(Store::open(folder.file("missing/s.db"))), HasSubstr("missing/s.db"));
  EXPECT_THAT(error_of(Store::open(folder.file(""))), HasSubstr("it is a folder"));
}

TEST(SqliteFile, LeavesAWriteAheadLogThatSomebodySwitchedOn) {
  const Folder folder;
  const auto mode = [&](const std::string& pragma) {
    soci::session session(soci::sqlite3, "dbname=" + folder.file("s.db"));
    std::string said;
    session << pragma, soci::into(said);
    return said;
  };
  { ASSERT_TRUE(Store::open(folder.file("s.db"))); }
  EXPECT_EQ(mode("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(mode("PRAGMA journal_mode = WAL"), "wal");
  { ASSERT_TRUE(Store::open(folder.file("s.db"))); }
  EXPECT_EQ(mode("PRAGMA journal_mode"), "delete");
}

TEST(PostgresqlDatabase, ThatIsNotThereIsNamedWithoutThePassword) {
  if (!PostgresqlServer::available()) GTEST_SKIP() << "PostgreSQL is not installed (tools/setup test)";
  const std::string there = "?host=" + server().folder().string();
  EXPECT_THAT(error_of(Store::open("postgresql://parcast:secret@/nowhere" + there)),
              HasSubstr("postgresql://parcast:***@/nowhere" + there +
                        ": error: the server's message: database \"nowhere\" does not exist"));
  EXPECT_THAT(error_of(Store::open("host=/nowhere dbname=x password=secret")),
              testing::AllOf(
                  HasSubstr("host=/nowhere dbname=x password=***: error: the database cannot be reached: "),
                  HasSubstr("No such file or directory")));
}

TEST(PostgresqlDatabase, IsNamedByKeywordsToo) {
  if (!PostgresqlServer::available()) GTEST_SKIP() << "PostgreSQL is not installed (tools/setup test)";
  server().new_database();
  const auto store = Store::open("host=" + server().folder().string() + " user=parcast dbname=postgres");
  EXPECT_TRUE(store) << error_of(store);
}

TEST(PostgresqlDatabase, RefusesNamesThatAreNotUtf8WithASentence) {
  if (!PostgresqlServer::available()) GTEST_SKIP() << "PostgreSQL is not installed (tools/setup test)";
  auto store = Store::open(server().new_database());
  ASSERT_TRUE(store);
  Measurement odd = run_number(1);
  odd.program = "bad\xFF name";
  EXPECT_THAT(error_of(store->add_measurement(odd)),
              HasSubstr("bytes that are not UTF-8, which PostgreSQL does not keep"));
  EXPECT_TRUE(store->add_measurement(run_number(1)));
}

}  // namespace
}  // namespace parcast::store
