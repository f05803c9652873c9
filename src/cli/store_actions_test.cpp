// SPDX-License-Identifier: Apache-2.0
#include "cli/store_actions.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "recording/sample_rank.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Invocation invocation(std::vector<Invocation::Given> given = {}, std::vector<std::string> words = {}) {
  return {std::move(given), std::move(words), {}};
}

std::string refused(std::vector<Invocation::Given> given) {
  const auto query = query_from(invocation(std::move(given)));
  return query ? "no error" : to_string(query.error());
}

TEST(StoreQueryFlags, BoundsAreNumbersOrRanges) {
  const auto query = query_from(
      invocation({{"--set", "n=64..256"}, {"--set", "dt=1e-3"}, {"--set", "k=..8"}, {"--processes", "2.."}}));
  ASSERT_TRUE(query) << to_string(query.error());
  EXPECT_EQ(query->parameters.at("n").least, 64);
  EXPECT_EQ(query->parameters.at("n").most, 256);
  EXPECT_EQ(query->parameters.at("dt").least, 1e-3);
  EXPECT_EQ(query->parameters.at("dt").most, 1e-3);
  EXPECT_EQ(query->parameters.at("k").least, -INFINITY);
  EXPECT_EQ(query->parameters.at("k").most, 8);
  EXPECT_EQ(query->processes->least, 2);
  EXPECT_EQ(query->processes->most, INFINITY);
  EXPECT_EQ(query_from(invocation({{"--set", "p=4"}}))->processes->most, 4);
}

TEST(StoreQueryFlags, ADateIsItsBeginningAndItsEnd) {
  const auto query = query_from(invocation({{"--since", "2026-11-21"}, {"--until", "2026-11-21"}}));
  ASSERT_TRUE(query);
  EXPECT_EQ(query->since, "2026-11-21T00:00:00.000000Z");
  EXPECT_EQ(query->until, "2026-11-21T23:59:59.999999Z");
  EXPECT_EQ(query_from(invocation({{"--until", "2026-11-21T08:35+02:00"}}))->until,
            "2026-11-21T06:35:00.000000Z");
}

TEST(StoreQueryFlags, ErrorsSayWhatToWrite) {
  EXPECT_THAT(refused({{"--processes", "many"}}), HasSubstr("-p many is neither a number nor a range"));
  EXPECT_THAT(refused({{"--processes", ".."}}), HasSubstr("neither a number nor a range"));
  EXPECT_THAT(refused({{"--set", "n=9..2"}}), HasSubstr("it begins above its end"));
  EXPECT_THAT(refused({{"--set", "n"}}), HasSubstr("\"n\" is not NAME=VALUE"));
  EXPECT_THAT(refused({{"--set", "n=1"}, {"--set", "n=2"}}), HasSubstr("n is given twice"));
  EXPECT_THAT(refused({{"--since", "soon"}}), HasSubstr("--since: \"soon\" is not a time"));
}

/// A temporary folder with recordings, and a store.
class StoreAdd : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = store::Store::open((folder_ / "s.db").string());
    ASSERT_TRUE(opened);
    store_ = std::make_unique<store::Store>(std::move(*opened));
  }
  /// Writes a recording of one process with this number of events.
  std::string record(const std::string& name, int events) {
    fs::create_directories(folder_ / name);
    recording::SampleRank rank(folder_ / name / "rank-0.rec", 0, 1);
    for (int i = 0; i < events; ++i) rank.event(3, 100, 50, {PARCAST_HAS_COMPUTE, {40}});
    rank.finish();
    return (folder_ / name).string();
  }
  int add(const std::vector<std::string>& words, std::vector<Invocation::Given> flags = {}) {
    const Invocation call = invocation(std::move(flags));
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = store_add({call, look_, words, *store_});
    said_ = testing::internal::GetCapturedStdout();
    complained_ = testing::internal::GetCapturedStderr();
    return code;
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    const auto entries = store_->list("recordings");
    for (const auto& entry : *entries) out.push_back(fs::path(entry.path).filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  recording::Scratch folder_;
  std::unique_ptr<store::Store> store_;
  report::Style look_;
  std::string said_, complained_;
};

TEST_F(StoreAdd, TakesAllRecordingsBelowAFolderOnce) {
  record("runs/a.recording", 3);
  record("runs/deep/b.recording", 5);
  EXPECT_EQ(add({(folder_ / "runs").string()}), kAnswered) << complained_;
  EXPECT_THAT(paths(), ElementsAre("a.recording", "b.recording"));
  EXPECT_THAT(said_, HasSubstr("kept   "));
  EXPECT_THAT(complained_, HasSubstr("2 recordings kept in "));
  EXPECT_EQ(add({(folder_ / "runs").string()}), kAnswered);
  EXPECT_THAT(complained_, HasSubstr("2 recordings kept, 2 of them known before in "));
  EXPECT_EQ(paths().size(), 2u);
}

TEST_F(StoreAdd, AMovedRecordingChangesItsPathAlone) {
  const std::string before = record("a.recording", 3);
  ASSERT_EQ(add({before}), kAnswered);
  const auto first = store_->list("recordings")->front();
  fs::rename(before, folder_ / "moved.recording");
  ASSERT_EQ(add({(folder_ / "moved.recording").string()}), kAnswered);
  const auto second = store_->list("recordings")->front();
  EXPECT_EQ(second.digest, first.digest);
  EXPECT_EQ(second.stored_at, first.stored_at);
  EXPECT_THAT(paths(), ElementsAre("moved.recording"));
}

TEST_F(StoreAdd, OtherParametersOfTheSameRecordingReplaceThoseKeptAndAreNamed) {
  const std::string path = record("a.recording", 3);
  const auto given = [&](const std::string& parameters) {
    std::ofstream(fs::path(path) / "meta.json")
        << R"({"schema": "parcast.recording/1", "program": "wave", "parameters": )" << parameters << "}";
  };
  const auto kept = [&] { return store_->list("recordings")->front().parameters; };
  given(R"({"N": 8, "steps": 5})");
  EXPECT_EQ(add({path}), kAnswered) << complained_;
  EXPECT_EQ(kept(), (std::map<std::string, double>{{"N", 8}, {"steps", 5}}));
  given(R"({"N": 16, "dt": 0.5})");
  EXPECT_EQ(add({path}), kAnswered) << complained_;
  EXPECT_THAT(complained_, HasSubstr("the store kept it with other parameters, which are replaced: N: 8 "
                                     "before, 16 now; dt: none before, 0.5 now; steps: 5 before, none now"));
  EXPECT_EQ(kept(), (std::map<std::string, double>{{"N", 16}, {"dt", 0.5}}));
  EXPECT_EQ(add({path}), kAnswered) << complained_;
  EXPECT_THAT(complained_, testing::Not(HasSubstr("parameters")));
}

TEST_F(StoreAdd, DamagedOnesAreNamedAndTheOthersGoOn) {
  record("runs/a.recording", 3);
  const std::string bad = record("runs/b.recording", 5);
  record("runs/c.recording", 7);
  fs::resize_file(fs::path(bad) / "rank-0.rec", 10);  // shorter than the header
  EXPECT_EQ(add({(folder_ / "runs").string()}), kPartial);
  EXPECT_THAT(complained_, HasSubstr("b.recording"));
  EXPECT_THAT(complained_, HasSubstr("2 recordings kept, 1 not in "));
  EXPECT_THAT(paths(), ElementsAre("a.recording", "c.recording"));
  EXPECT_EQ(add({bad}), kFailed) << "nothing of it was kept";
}

TEST_F(StoreAdd, KilledInBetweenItKeepsWhatItAcknowledgedAndGoesOnFromThere) {
  constexpr std::size_t kRecordings = 30;
  for (std::size_t i = 0; i < kRecordings; ++i)
    record("runs/" + std::to_string(10 + i) + ".recording", static_cast<int>(i + 1));
  const std::string runs = (folder_ / "runs").string();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    const Invocation call = invocation();
    auto own = store::Store::open((folder_ / "s.db").string());
    ::_exit(own ? store_add({call, look_, {runs}, *own}) : 1);
  }
  ::close(ends[1]);
  std::string said;
  char byte = 0;
  while (std::count(said.begin(), said.end(), '\n') < 7 && ::read(ends[0], &byte, 1) == 1) said += byte;
  ::kill(child, SIGKILL);
  while (::read(ends[0], &byte, 1) == 1) said += byte;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  said.resize(said.rfind('\n') + 1);
  const auto kept = store_->list("recordings");
  ASSERT_TRUE(kept);
  EXPECT_LT(kept->size(), kRecordings) << "the child was not killed in between";
  std::string ids;
  for (const auto& entry : *kept) ids += store::id_of(entry) + "\n";
  for (std::size_t at = 0; at < said.size(); at = said.find('\n', at) + 1)
    EXPECT_THAT(ids, HasSubstr(said.substr(at, 12)));
  EXPECT_EQ(add({runs}), kAnswered);
  EXPECT_EQ(paths().size(), kRecordings);
}

TEST_F(StoreAdd, WhatIsNoRecordingIsAnErrorOfTheWholeCall) {
  const std::string good = record("a.recording", 3);
  EXPECT_EQ(add({good, (folder_ / "nothing").string()}), kFailed);
  EXPECT_THAT(complained_, HasSubstr("there is no recording or folder"));
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(add({(folder_ / "empty").string()}), kFailed);
  EXPECT_THAT(complained_, HasSubstr("there is no recording below it"));
  EXPECT_TRUE(paths().empty());
}

}  // namespace
}  // namespace parcast::cli
