// SPDX-License-Identifier: Apache-2.0
// Measures the speed of the store: adding runs in one transaction and one by one, listing and querying them.
// For comparison, the same rows in a plain loop over SQLite's own interface.
//
//   parcast_store_bench [RUNS [URL]]       10,000 runs of two parameters each; a new file in the temporary
//   folder, or an empty
//                                          database
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "store/store.h"

namespace {

using namespace parcast;

template <class Action>
double seconds(Action action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

store::Measurement run(int i) {
  return {"program" + std::to_string(i % 10),
          "here",
          {{{"N", 64.0 + i % 100}, {"steps", 1.0 * i}}, 1 << i % 8},
          0,
          0,
          0,
          1 + 1e-4 * i,
          "2026-11-21T08:00:00Z",
          "",
          0};
}

void check(sqlite3* db, int code) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) fail(sqlite3_errmsg(db));
}

sqlite3_stmt* prepared(sqlite3* db, const char* text) {
  sqlite3_stmt* out = nullptr;
  check(db, sqlite3_prepare_v2(db, text, -1, &out, nullptr));
  return out;
}

void step(sqlite3* db, sqlite3_stmt* statement) {
  check(db, sqlite3_step(statement));
  sqlite3_reset(statement);
}

/// Inserts the rows and parameters of `run`, with a primary key and no other index.
double plain_loop(const std::string& path, int runs) {
  sqlite3* db = nullptr;
  check(db, sqlite3_open(path.c_str(), &db));
  check(db, sqlite3_exec(db,
                         "CREATE TABLE m (digest TEXT PRIMARY KEY NOT NULL, stored_at TEXT, program TEXT, "
                         "machine TEXT, processes BIGINT, seconds DOUBLE PRECISION, measured_at TEXT);"
                         "CREATE TABLE p (owner TEXT NOT NULL, name TEXT NOT NULL, value DOUBLE PRECISION, "
                         "PRIMARY KEY (owner, name))",
                         nullptr, nullptr, nullptr));
  sqlite3_stmt* row = prepared(
      db, "INSERT INTO m VALUES (?, '2026-11-21T08:35:47.123456Z', ?, 'here', ?, ?, '2026-11-21T08:00:00Z')");
  sqlite3_stmt* parameter = prepared(db, "INSERT INTO p VALUES (?, ?, ?)");
  const double out = seconds([&] {
    check(db, sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
    for (int i = 0; i < runs; ++i) {
      const store::Measurement m = run(i);
      char digest[65];
      std::snprintf(digest, sizeof digest, "%064llx",
                    0x9e3779b97f4a7c15ull * static_cast<unsigned long long>(i + 1));
      sqlite3_bind_text(row, 1, digest, -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(row, 2, m.program.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_int64(row, 3, m.point.processes);
      sqlite3_bind_double(row, 4, m.seconds);
      step(db, row);
      for (const auto& [name, value] : m.point.parameters) {
        sqlite3_bind_text(parameter, 1, digest, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(parameter, 2, name.c_str(), -1, SQLITE_TRANSIENT);
        sqlite3_bind_double(parameter, 3, value);
        step(db, parameter);
      }
    }
    check(db, sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr));
  });
  sqlite3_finalize(row), sqlite3_finalize(parameter), sqlite3_close(db);
  return out;
}

template <class T>
T good(Result<T> result) {
  if (!result) fail(to_string(result.error()));
  return std::move(result).value();
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const auto folder =
      std::filesystem::temp_directory_path() / ("parcast-store-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string url = argc > 2 ? argv[2] : (folder / "store.db").string();
  const double plain = plain_loop((folder / "plain.db").string(), runs);
  auto store = good(store::Store::open(url));
  std::vector<store::Measurement> all;
  for (int i = 0; i < runs; ++i) all.push_back(run(i));

  const double together = seconds([&] {
    if (const auto kept = store.add_measurements(all); !kept) fail(to_string(kept.error()));
  });
  const double again = seconds([&] {
    if (const auto kept = store.add_measurements(all); !kept) fail(to_string(kept.error()));
  });
  std::size_t listed = 0, found = 0;
  const double listing = seconds([&] { listed = good(store.list()).size(); });
  const double asking = seconds([&] {
    found = good(store.find({.program = "program3",
                             .processes = store::Bounds{8, 8},
                             .parameters = {{"steps", {100, 200}}}}))
                .entries.size();
  });
  const int few = std::min(runs, 200);
  const double singly = seconds([&] {
    for (int i = 0; i < few; ++i) {
      store::Measurement one = run(i);
      one.repeat = 1;
      good(store.add_measurement(one));
    }
  });
  std::printf("plain SQLite, one transaction   %8.1f ms  %d runs, no index\n", 1e3 * plain, runs);
  std::printf("kept in one transaction         %8.1f ms  %.1f times that\n", 1e3 * together,
              together / plain);
  std::printf("the same again                  %8.1f ms  %.1f times\n", 1e3 * again, again / plain);
  std::printf("kept one by one                 %8.2f ms  each\n", 1e3 * singly / few);
  std::printf("listed                          %8.1f ms  %zu runs\n", 1e3 * listing, listed);
  std::printf("found by index                  %8.2f ms  %zu runs\n", 1e3 * asking, found);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return listed == static_cast<std::size_t>(runs) ? 0 : 1;
}
