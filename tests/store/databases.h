// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the same tests on every database: a fixture with a new place for stores in each.

#include <gmock/gmock.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <map>
#include <memory>
#include <string>

#include "store/place.h"
#include "store/postgresql_server.h"
#include "store/store.h"
#include "store/test_nouns.h"

namespace parcast::store {

inline recording::Recording small_recording() {
  recording::Recording out;
  out.program = "wave";
  out.digest = std::string(64, 'a');
  out.parameters = {{"N", 64}, {"dt", 0.1}};
  out.processes = 2;
  out.machine_summary = "some processor, 2 cores";
  out.started = "2026-11-21T08:00:00Z";
  out.ranks.resize(2);
  out.ranks[0].wall = 1'500'000'000;
  out.ranks[1].wall = 1'750'000'000;
  return out;
}

inline Measurement run_number(int i) {
  Measurement m{"wave", "here", {{{"N", 64 + i}}, 4}, 0, 0, 0, 1 + 0.001 * i, "2026-11-21T08:00:00Z", "", 0};
  m.repeat = i;
  return m;
}

template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : to_string(result.error());
}

/// One server for all tests of the program, started when the first one needs it.
inline PostgresqlServer& server() {
  static PostgresqlServer one;
  return one;
}

class OnEachDatabase : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::postgresql && !PostgresqlServer::available())
      GTEST_SKIP() << "PostgreSQL is not installed (tools/setup test)";
  }
  /// Returns the URL of a store; the same for the same name.
  std::string url(const std::string& name = "s") {
    if (GetParam() == Backend::sqlite) return folder_.file(name + ".db");
    auto& database = databases_[name];
    if (database.empty()) database = server().new_database();
    return database;
  }
  Store open(const std::string& name = "s") {
    auto store = Store::open(url(name));
    if (!store) ADD_FAILURE() << error_of(store);
    return std::move(store).value();
  }
  /// Runs SQL directly on the database, bypassing the store.
  void execute(const std::string& name, const std::string& text) {
    if (GetParam() == Backend::sqlite)
      soci::session(soci::sqlite3, "dbname=" + url(name)) << text;
    else
      soci::session(soci::postgresql, url(name)) << text;
  }

  const Folder folder_;

 private:
  std::map<std::string, std::string> databases_;
};

inline void PrintTo(Backend backend, std::ostream* out) {
  *out << (backend == Backend::sqlite ? "sqlite" : "postgresql");
}
inline std::string name_of(const testing::TestParamInfo<Backend>& info) {
  return info.param == Backend::sqlite ? "sqlite" : "postgresql";
}

}  // namespace parcast::store

#define ON_EACH_DATABASE(suite)                                                              \
  INSTANTIATE_TEST_SUITE_P(                                                                  \
      Databases, suite,                                                                      \
      testing::Values(parcast::store::Backend::sqlite, parcast::store::Backend::postgresql), \
      parcast::store::name_of)
