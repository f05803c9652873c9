// SPDX-License-Identifier: Apache-2.0
// The baton in real programs: whatever its holder does, the host ends with the same result as without the
// recorder.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

/// Returns the line on one core, so that three ranks are more than the available cores on any machine.
std::string on_one_core(const std::string& line) {
  return "taskset -c 0 sh -c '" + line + "'";
}

struct Timed {
  Outcome outcome;
  double seconds = 0;
};

Timed timed(const Scratch& scratch, const Mpi mpi, const std::string& arguments,
            const std::string& environment, bool with) {
  fs::remove_all(scratch / "run");
  const std::string recorder =
      with ? "LD_PRELOAD=" PARCAST_RECORDER " PARCAST_OUT=" + (scratch / "run").string() + " " : "";
  const auto began = std::chrono::steady_clock::now();
  Timed run;
  const std::string line = on_one_core(mpirun(3, mpi) + program("baton", mpi) + " " + arguments);
  run.outcome = shell(scratch, own_session(scratch) + recorder + environment + " " + line);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return run;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// Returns the file of a launch's tokens while its ranks start: the folder's name by FNV-1a.
fs::path file_of_tokens(const fs::path& folder) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : folder.string()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  char name[64];
  std::snprintf(name, sizeof name, "/dev/shm/parcast-%u-%016llx", ::geteuid(),
                static_cast<unsigned long long>(hash));
  return name;
}

class Baton : public testing::TestWithParam<std::tuple<const char*, Mpi>> {};

/// mpirun's time limit ends a run that hangs, with exit code 124.
TEST_P(Baton, LeavesTheHostItsResultWhateverItsHolderDoes) {
  const auto& [what, mpi] = GetParam();
  const Scratch scratch;
  const std::string arguments = std::string(what) + " 30";
  const Timed plain = timed(scratch, mpi, arguments, "", false);
  for (const std::string mode : {"auto", "always"}) {
    const Timed with = timed(scratch, mpi, arguments, "PARCAST_BATON=" + mode, true);
    EXPECT_EQ(with.outcome.exit_code, plain.outcome.exit_code) << mode << with.outcome.errors;
    if (plain.outcome.exit_code == 0) EXPECT_EQ(with.outcome.output, plain.outcome.output) << mode;
    EXPECT_EQ(count_of(with.outcome.errors, "tokens\n"), 3u) << mode << with.outcome.errors;
    EXPECT_LT(with.seconds, 10 * plain.seconds + 10) << mode;
  }
}

INSTANTIATE_TEST_SUITE_P(Holders, Baton,
                         testing::Combine(testing::Values("plain", "flags", "stops", "loops", "dies",
                                                          "threads", "forks", "tests", "targets"),
                                          testing::ValuesIn(families())),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param)) + "_" +
                                  name_of(std::get<1>(each.param));
                         });

TEST(BatonSwitch, OffOrWithACoreForEachThereAreNoTokens) {
  for (const Mpi mpi : families()) {
    const Scratch scratch;
    EXPECT_EQ(count_of(timed(scratch, mpi, "plain 3", "PARCAST_BATON=off", true).outcome.errors, "tokens\n"),
              0u);
    if (std::thread::hardware_concurrency() < 2) continue;
    const Outcome two =
        run_recorded(scratch, {2, program("baton", mpi) + " plain 3", "PARCAST_BATON=always", "", mpi});
    EXPECT_EQ(two.output, "9\n") << two.errors;
    EXPECT_EQ(count_of(two.errors, "tokens\n"), 0u);
  }
}

TEST(BatonSwitch, NoFileIsLeftBehindEvenByTheKilled) {
  const Scratch scratch;
  const fs::path file = file_of_tokens(scratch / "run");
  for (const Mpi mpi : families())
    for (const std::string what : {"plain 3", "dies 30"}) {
      const Outcome outcome = timed(scratch, mpi, what, "PARCAST_BATON=always", true).outcome;
      // the tokens were there
      EXPECT_NE(outcome.errors.find(file.string()), std::string::npos) << outcome.errors;
      EXPECT_FALSE(fs::exists(file));
    }
}

/// Returns, of 3 ranks' 20 executions each, the number of those that overlapped with one of another rank.
std::size_t executions_together(const Scratch& scratch, const std::string& mode) {
  return count_of(timed(scratch, kOpenMpi, "beside 20", "PARCAST_BATON=" + mode, true).outcome.errors,
                  "together\n");
}

TEST(BatonSwitch, GuardedSegmentsFollowEachOther) {
  const Scratch scratch;
  EXPECT_GE(executions_together(scratch, "off"), 40u);
  // on a crowded machine a holder may exceed its time limit
  EXPECT_LE(executions_together(scratch, "always"), 10u);
}

TEST(BatonSwitch, TheWaitIsNoComputing) {
  const Scratch scratch;
  ASSERT_EQ(timed(scratch, kOpenMpi, "plain 40", "PARCAST_BATON=always", true).outcome.exit_code, 0);
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  for (const RankRecording& rank : recording->ranks) {
    std::vector<std::int64_t> lengths;
    for (const Event& event : rank.events)
      if (recording->calls[event.call].name == "MPI_Barrier" && event.compute > 500'000)
        lengths.push_back(event.compute);
    ASSERT_GE(lengths.size(), 40u);
    std::nth_element(lengths.begin(), lengths.begin() + 20, lengths.end());
    EXPECT_NEAR(static_cast<double>(lengths[20]), 1e6, 1e5);  // three ranks take turns on one core
  }
}

TEST(BatonFaults, ACallToTheSystemThatFailsIsNotNoticed) {
  const Scratch scratch;
  const std::string line = mpirun(3) + program("baton") + " plain 3";
  for (const std::string call : {"open", "mmap", "posix_fallocate", "fstat", "read"})
    for (int n = 4; n <= 9; ++n) {
      fs::remove_all(scratch / "run");
      const std::string failing = call + ":" + std::to_string(n);
      const std::string environment =
          "PARCAST_BATON=always FAIL=" + failing +
          " LD_PRELOAD=" PARCAST_FAILING ":" PARCAST_RECORDER " PARCAST_OUT=" + (scratch / "run").string() +
          " ";
      const Outcome with = shell(scratch, own_session(scratch) + environment + on_one_core(line));
      EXPECT_EQ(with.exit_code, 0) << failing << with.errors;
      EXPECT_EQ(with.output, "18\n") << failing;
    }
}

}  // namespace
}  // namespace parcast::record_tests
