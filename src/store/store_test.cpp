// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <gmock/gmock.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <limits>
#include <set>
#include <thread>

#include "base/text.h"
#include "machine/machine_file.h"
#include "predict/prediction_file.h"
#include "program/model_file.h"
#include "store/test_nouns.h"

namespace parcast::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

recording::Recording small_recording() {
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

Measurement run_number(int i) {
  Measurement m{"wave", "here", {{{"N", 64 + i}}, 4}, 0, 0, 0, 1 + 0.001 * i, "2026-11-21T08:00:00Z", "", 0};
  m.repeat = i;
  return m;
}

template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : to_string(result.error());
}

/// Runs SQL behind the store's back.
void execute(const std::string& path, const std::string& sql) {
  soci::session session(soci::sqlite3, "dbname=" + path);
  session << sql;
}

TEST(Store, KeepsEachNounWithItsColumns) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store) << error_of(store);
  ASSERT_TRUE(store->add_recording("/data/wave-1.recording", small_recording()));
  ASSERT_TRUE(store->add_model("/data/wave.model.json", small_model()));
  ASSERT_TRUE(store->add_machine("/data/here.machine.toml", small_machine()));
  const auto prediction =
      store->add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  ASSERT_TRUE(prediction) << error_of(prediction);
  ASSERT_TRUE(store->add_measurement(run_number(1)));

  const auto all = store->list();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 5u);
  const Entry& recording = all->at(0);
  EXPECT_EQ(recording.kind, Kind::recording);
  EXPECT_EQ(recording.digest, std::string(64, 'a'));
  EXPECT_EQ(recording.path, "/data/wave-1.recording");
  EXPECT_EQ(recording.processes, 2);
  EXPECT_EQ(recording.seconds, 1.75);
  EXPECT_EQ(recording.began, "2026-11-21T08:00:00Z");
  EXPECT_EQ(recording.parameters, (std::map<std::string, double>{{"N", 64}, {"dt", 0.1}}));
  EXPECT_THAT(all->at(1).sources, ElementsAre("aaaa", "bbbb"));
  EXPECT_EQ(all->at(1).content, "");

  const auto shown = store->show(prediction->substr(0, 8));
  ASSERT_TRUE(shown) << error_of(shown);
  EXPECT_EQ(shown->digest, *prediction);
  EXPECT_EQ(shown->content, predict::to_json(small_prediction(256, 4, 3.25)));
  EXPECT_EQ(shown->seconds, 3.25);
  EXPECT_EQ(shown->low, 0.9 * 3.25);
  EXPECT_EQ(shown->high, 1.1 * 3.25);
  EXPECT_EQ(shown->level, 0.9);
  EXPECT_EQ(shown->model_digest, all->at(1).digest);
  EXPECT_EQ(shown->machine_digest, all->at(2).digest);
  const auto model = store->show(shown->model_digest);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->content, program::to_json(small_model()));
  EXPECT_TRUE(store->check()) << error_of(store->check());
}

TEST(Store, AddingAgainKeepsTheFirstTimeAndTheNewestPath) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store);
  const auto first = store->add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  const auto before = store->list("predictions");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto second = store->add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  ASSERT_TRUE(first && second && before);
  EXPECT_EQ(*first, *second);
  const auto after = store->list("prediction");
  ASSERT_TRUE(after);
  ASSERT_EQ(after->size(), 1u);
  EXPECT_EQ(after->at(0).stored_at, before->at(0).stored_at);

  ASSERT_TRUE(store->add_machine("/old/here.machine.toml", small_machine()));
  ASSERT_TRUE(store->add_machine("/new/here.machine.toml", small_machine()));
  ASSERT_TRUE(store->add_prediction(small_prediction(512, 4, 9), small_model(), small_machine()));
  const auto machines = store->list("machines");
  ASSERT_TRUE(machines);
  ASSERT_EQ(machines->size(), 1u);
  EXPECT_EQ(machines->at(0).path, "/new/here.machine.toml");
}

TEST(Store, ADifferentModelGivesADifferentPrediction) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store);
  program::Model other = small_model();
  other.sources[0].digest = "cccc";
  const auto a = store->add_prediction(small_prediction(256, 4, 3.25), small_model(), small_machine());
  const auto b = store->add_prediction(small_prediction(256, 4, 3.25), other, small_machine());
  ASSERT_TRUE(a && b);
  EXPECT_NE(*a, *b);
}

TEST(Store, EveryDoubleComesBackAsItWas) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store);
  const std::map<std::string, double> values{{"a", 0.1},
                                             {"b", 1e-300},
                                             {"c", -1.0 / 3},
                                             {"d", 9007199254740993.0},
                                             {"e'; DROP TABLE models; --", 5e300}};
  Measurement m = run_number(0);
  m.point.parameters = values;
  m.seconds = 1.0000000000000002;
  ASSERT_TRUE(store->add_measurement(m));
  const auto rows = store->list("measurements");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->at(0).parameters, values);
  EXPECT_EQ(rows->at(0).seconds, 1.0000000000000002);
}

TEST(Store, UrlsNameFilesAndNothingElse) {
  const Folder folder;
  EXPECT_TRUE(Store::open("sqlite://" + folder.file("a b  c=d.db")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("a b  c=d.db")));
  EXPECT_THAT(error_of(Store::open("postgresql://host/db")),
              HasSubstr("only SQLite stores are supported by this version, not postgresql"));
  EXPECT_THAT(error_of(Store::open_existing(folder.file("none.db"))),
              HasSubstr("none.db: error: there is no store"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("none.db")));
  EXPECT_THAT(error_of(Store::open(folder.file("missing/s.db"))), HasSubstr("missing/s.db"));
  EXPECT_THAT(error_of(Store::open(folder.file(""))), HasSubstr("it is a folder"));
}

TEST(Store, RefusesNewerSchemasAndForeignFilesUntouched) {
  const Folder folder;
  { ASSERT_TRUE(Store::open(folder.file("newer.db"))); }
  execute(folder.file("newer.db"), "PRAGMA user_version = 2");
  EXPECT_THAT(error_of(Store::open(folder.file("newer.db"))),
              HasSubstr("newer version of Parcast (schema 2, this version knows 1)"));
  execute(folder.file("foreign.db"), "CREATE TABLE songs (title TEXT)");
  EXPECT_THAT(error_of(Store::open(folder.file("foreign.db"))), HasSubstr("a database of another program"));
  execute(folder.file("foreign2.db"), "CREATE TABLE songs (title TEXT)");
  execute(folder.file("foreign2.db"), "PRAGMA user_version = 1");
  EXPECT_THAT(error_of(Store::open(folder.file("foreign2.db"))), HasSubstr("a database of another program"));
  folder.write("text.db", std::string(5000, 'x'));
  EXPECT_THAT(error_of(Store::open(folder.file("text.db"))), HasSubstr("the file is damaged or is no store"));
}

TEST(Store, NamesAreCheckedWithAGuess) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store);
  EXPECT_THAT(error_of(store->list("predictons")), HasSubstr("did you mean predictions?"));
  EXPECT_THAT(error_of(store->show("zz")), HasSubstr("is not an identifier"));
  EXPECT_THAT(error_of(store->show("ab")), HasSubstr("nothing in the store begins with ab"));
}

TEST(Store, AnAmbiguousIdentifierListsTheCandidates) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store);
  auto recording = small_recording();
  ASSERT_TRUE(store->add_recording("/a", recording));
  recording.digest = std::string(63, 'a') + "b";
  ASSERT_TRUE(store->add_recording("/b", recording));
  EXPECT_THAT(error_of(store->show("aaa")), HasSubstr("2 entries begin with aaa"));
  const auto exact = store->show(recording.digest);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->path, "/b");
}

TEST(Store, AFailedBatchKeepsNothing) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store);
  auto bad = run_number(2);
  bad.seconds = std::numeric_limits<double>::quiet_NaN();  // NULL to SQLite, which the schema forbids
  EXPECT_FALSE(store->add_measurements({run_number(1), bad}));
  const auto rows = store->list();
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->empty());
  EXPECT_TRUE(store->add_measurements({run_number(1), run_number(2)}));
  EXPECT_EQ(store->list()->size(), 2u);
}

TEST(Store, ListsOldestFirst) {
  const Folder folder;
  auto store = Store::open(folder.file("s.db"));
  ASSERT_TRUE(store);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store->add_measurement(run_number(9 - i)));
  const auto rows = store->list("measurements");
  ASSERT_TRUE(rows);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rows->at(static_cast<std::size_t>(i)).parameters.at("N"), 64 + 9 - i);
}

TEST(Store, UsesARollbackJournal) {
  const Folder folder;
  ASSERT_TRUE(Store::open(folder.file("s.db")));
  soci::session session(soci::sqlite3, "dbname=" + folder.file("s.db"));
  std::string mode;
  session << "PRAGMA journal_mode", soci::into(mode);
  EXPECT_EQ(mode, "delete");
}

/// Writes rows until it is killed, and says the digest of each through the pipe once it is acknowledged.
[[noreturn]] void write_forever(const std::string& path, int round, int pipe) {
  auto store = Store::open(path);
  for (int i = 0; store; ++i) {
    const auto kept = i % 3 == 0 ? store->add_prediction(small_prediction(1000 * round + i, 2, 1.5),
                                                         small_model(), small_machine())
                                 : store->add_measurement(run_number(1000 * round + i));
    const std::string line = (kept ? *kept : std::string("failed")) + "\n";
    if (::write(pipe, line.data(), line.size()) < 0) break;
  }
  ::_exit(1);
}

/// Digests of the rows that a writer had acknowledged when it was killed: some time after the `least`-th.
std::vector<std::string> write_and_kill(const std::string& path, int round, std::size_t least,
                                        std::chrono::microseconds later) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) write_forever(path, round, ends[1]);
  ::close(ends[1]);
  std::string said;
  char buffer[65];  // a digest and the line end
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

TEST(Store, AKilledWriterLosesNothingAcknowledgedAndLeavesNothingPartial) {
  constexpr int kRounds = 25;
  const Folder folder;
  const std::string path = folder.file("s.db");
  std::set<std::string> acknowledged;
  for (int round = 0; round < kRounds; ++round) {
    const auto said = write_and_kill(path, round, static_cast<std::size_t>(1 + round % 3),
                                     std::chrono::microseconds(577 * round % 9000));
    acknowledged.insert(said.begin(), said.end());
    auto store = Store::open(path);
    ASSERT_TRUE(store) << error_of(store);
    ASSERT_TRUE(store->check()) << error_of(store->check());
  }
  EXPECT_FALSE(acknowledged.contains("failed"));
  EXPECT_GE(acknowledged.size(), static_cast<std::size_t>(kRounds));
  auto store = Store::open(path);
  ASSERT_TRUE(store);
  const auto rows = store->list();
  ASSERT_TRUE(rows);
  for (const Entry& row : *rows) {
    acknowledged.erase(row.digest);
    if (row.kind == Kind::prediction || row.kind == Kind::measurement) {
      EXPECT_EQ(row.parameters.size(), 1u) << row.digest;
    }
  }
  EXPECT_TRUE(acknowledged.empty()) << acknowledged.size() << " acknowledged rows are gone";
}

TEST(Store, EightWritersAndEightReadersAtOnceLoseNothing) {
  constexpr int kWriters = 8, kEach = 25;
  const Folder folder;
  const std::string path = folder.file("s.db");
  std::vector<pid_t> children;
  for (int writer = 0; writer < 2 * kWriters; ++writer) {
    const pid_t child = ::fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    auto store = Store::open(path);  // all but one find the tables made, or wait for them
    bool good = store.ok();
    for (int i = 0; good && i < kEach; ++i)
      good = writer < kWriters ? store->add_measurement(run_number(writer * kEach + i)).ok()
                               : store->list("measurements").ok();
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto store = Store::open(path);
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->check()) << error_of(store->check());
  EXPECT_EQ(store->list("measurements")->size(), static_cast<std::size_t>(kWriters * kEach));
}

}  // namespace
}  // namespace parcast::store
