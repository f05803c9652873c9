// SPDX-License-Identifier: Apache-2.0
// Many processes at one store, and processes that are killed while they write. PARCAST_STORE_KILLS is the
// number of kills (bench/README.md); the times come from a fixed seed.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "base/text.h"
#include "store/databases.h"

namespace parcast::store {
namespace {

class StoreProcesses : public OnEachDatabase {};
ON_EACH_DATABASE(StoreProcesses);

int kills() {
  const char* asked = std::getenv("PARCAST_STORE_KILLS");
  return asked ? std::atoi(asked) : 20;
}

/// Writes rows until it is killed, and writes the digest of each acknowledged one to the pipe. A prediction
/// has a model and a machine, which are separate rows in the same transaction.
[[noreturn]] void write_forever(const std::string& url, int round, int pipe) {
  auto store = Store::open(url);
  for (int i = 0; store; ++i) {
    const int number = 1000 * round + i;
    const auto kept =
        i % 3 == 0 ? store->add_prediction(small_prediction(number, 2, 1.5),
                                           small_model("wave" + std::to_string(number)), small_machine())
                   : store->add_measurement(run_number(number));
    const std::string line = (kept ? *kept : std::string("failed")) + "\n";
    if (::write(pipe, line.data(), line.size()) < 0) break;
  }
  ::_exit(1);
}

/// Returns the digests of the rows that a writer had acknowledged when it was killed, some time after the
/// `least`-th.
std::vector<std::string> write_and_kill(const std::string& url, int round, std::size_t least,
                                        std::chrono::microseconds later) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) write_forever(url, round, ends[1]);
  ::close(ends[1]);
  std::string said;
  char buffer[65];  // a digest and the newline
  const auto read_on = [&] {
    const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
    if (n > 0) said.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  };
  while (said.size() < least * sizeof buffer && read_on()) {
  }
  std::this_thread::sleep_for(later);
  ::kill(child, SIGKILL);
  while (read_on()) {
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  auto lines = split(said.substr(0, said.rfind('\n') + 1), '\n');
  lines.pop_back();
  return lines;
}

/// Returns whether a row is incomplete.
bool partial(const Entry& row, const std::set<std::string>& digests) {
  if (row.kind == Kind::measurement) return row.parameters.size() != 1;
  if (row.kind == Kind::model) return row.sources.size() != 2;
  return row.kind == Kind::prediction && (row.parameters.size() != 1 || !digests.contains(row.model_digest) ||
                                          !digests.contains(row.machine_digest));
}

TEST_P(StoreProcesses, AKilledWriterLosesNothingAcknowledgedAndLeavesNothingPartial) {
  const int rounds = kills();
  std::minstd_rand random(20260101);
  std::set<std::string> acknowledged;
  const std::string place = url();
  for (int round = 0; round < rounds; ++round) {
    const auto said = write_and_kill(place, round, random() % 4, std::chrono::microseconds(random() % 12000));
    acknowledged.insert(said.begin(), said.end());
    const auto store = Store::open(place);
    ASSERT_TRUE(store) << error_of(store);
    ASSERT_TRUE(store->check()) << error_of(store->check());
  }
  EXPECT_FALSE(acknowledged.contains("failed"));
  EXPECT_GE(acknowledged.size(), static_cast<std::size_t>(rounds));
  const auto rows = open().list();
  ASSERT_TRUE(rows);
  std::set<std::string> digests;
  for (const Entry& row : *rows) digests.insert(row.digest);
  for (const Entry& row : *rows)
    EXPECT_FALSE(partial(row, digests)) << to_string(row.kind) << " " << row.digest;
  for (const std::string& digest : acknowledged)
    EXPECT_TRUE(digests.contains(digest)) << digest << " was acknowledged and is gone";
}

/// Runs the work in a child process, which prints an error on stderr if it failed.
template <class Work>
pid_t in_child(Work work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const Result<void> done = work();
  if (!done) std::fprintf(stderr, "%s\n", to_string(done.error()).c_str());
  ::_exit(done ? 0 : 1);
}

TEST_P(StoreProcesses, SixteenWritersAndSixteenReadersAtOnceLoseNothing) {
  constexpr int kEach = 16, kRows = 12;
  const std::string place = url();
  std::vector<pid_t> children;
  for (int number = 0; number < 2 * kEach; ++number)
    children.push_back(in_child([&]() -> Result<void> {
      // only one creates the tables; the others find them or wait
      PARCAST_ASSIGN(Store store, Store::open(place));
      std::size_t seen = 0;
      for (int i = 0; i < kRows; ++i) {
        if (number < kEach) {
          PARCAST_TRY(store.add_measurement(run_number(number * kRows + i)));
          PARCAST_TRY(store.add_prediction(small_prediction(number * kRows + i, 2, 1.5), small_model(),
                                           small_machine()));
        } else {
          PARCAST_ASSIGN(const auto rows, store.list("measurements"));
          if (rows.size() < seen) return Error{"rows are gone", "", ""};
          seen = rows.size();
        }
      }
      return {};
    }));
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const Store store = open();
  EXPECT_TRUE(store.check()) << error_of(store.check());
  EXPECT_EQ(store.list("measurements")->size(), static_cast<std::size_t>(kEach * kRows));
  EXPECT_EQ(store.list("predictions")->size(), static_cast<std::size_t>(kEach * kRows));
  EXPECT_EQ(store.list("models")->size(), 1u);
}

TEST_P(StoreProcesses, AWriterWaitsWhileAnotherHoldsTheStore) {
  Store store = open();
  const std::string place = url();
  std::atomic<bool> held = false, released = false;
  std::thread other([&] {
    const bool file = GetParam() == Backend::sqlite;
    soci::session sql(file ? *soci::factory_sqlite3() : *soci::factory_postgresql(),
                      file ? "dbname=" + place : place);
    sql << (file ? "BEGIN EXCLUSIVE" : "BEGIN");
    if (!file) sql << "LOCK TABLE measurements IN ACCESS EXCLUSIVE MODE";
    held = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    released = true;
    sql << "COMMIT";
  });
  while (!held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto kept = store.add_measurement(run_number(1));
  EXPECT_TRUE(released) << "it did not wait";
  other.join();
  EXPECT_TRUE(kept) << error_of(kept);
}

TEST(PostgresqlServerThatIsFull, IsTriedAgain) {
  if (!PostgresqlServer::available()) GTEST_SKIP() << "PostgreSQL is not installed (tools/setup test)";
  const std::string url = server().new_database();
  std::vector<std::unique_ptr<soci::session>> others;
  try {
    for (;;) others.push_back(std::make_unique<soci::session>(soci::postgresql, url));
  } catch (const soci::soci_error& full) {
    ASSERT_THAT(full.what(), testing::HasSubstr("too many clients")) << others.size();
  }
  std::thread leaving([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    others.clear();
  });
  const auto store = Store::open(url);
  leaving.join();
  EXPECT_TRUE(store) << error_of(store);
}

}  // namespace
}  // namespace parcast::store
