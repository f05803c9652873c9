// SPDX-License-Identifier: Apache-2.0
// Programs under a filter of system calls, which kills the process for calls that the recorder can do
// without.
#include <gtest/gtest.h>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using recording::event_count;

constexpr int kKilled = 128 + 31;  // SIGSYS
const std::string kFew = "PARCAST_SYSTEM_CALLS=few";

struct Filtered {
  // 0: without mpirun; of Open MPI's programs only these start a daemon, which needs the calls
  int processes;
  std::string program, when;
};

Job job_of(const Filtered& filtered, const std::string& environment) {
  return {filtered.processes, filtered.program + " " + filtered.when, environment};
}

void expect_recorded(const Scratch& scratch, const Filtered& filtered) {
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_TRUE(recording->losses.empty()) << recording->losses.front().what;
  EXPECT_GE(event_count(recording->ranks.front()), 40'000u) << filtered.program;
  EXPECT_EQ(recording->ranks.front().peak_memory, 0u);  // not known
  EXPECT_TRUE(recording->ranks.front().usage.empty());
}

class Filter : public testing::TestWithParam<Filtered> {};

TEST_P(Filter, KillsNoProgramWhoseRecorderSparesTheCalls) {
  const Scratch scratch;
  const Job job = job_of(GetParam(), kFew);
  const Outcome plain = run_plain(scratch, job);
  if (plain.exit_code == 77) GTEST_SKIP() << "this system has no filters of system calls";
  ASSERT_EQ(plain.output, "done\n") << plain.errors;
  const Outcome with = run_recorded(scratch, job);
  EXPECT_EQ(with.exit_code, 0) << with.errors;
  EXPECT_EQ(with.output, "done\n");
  expect_recorded(scratch, GetParam());
}

/// The filter works, as docs/reliability.md warns.
TEST_P(Filter, KillsOthers) {
  const Scratch scratch;
  const Job job = job_of(GetParam(), "");
  if (run_plain(scratch, job).exit_code == 77) GTEST_SKIP() << "this system has no filters of system calls";
  const Outcome outcome = run_recorded(scratch, job);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "");
  if (job.processes == 0) EXPECT_EQ(outcome.exit_code, kKilled);
}

INSTANTIATE_TEST_SUITE_P(Each, Filter,
                         testing::Values(Filtered{0, plain_program("filtered"), "early"},
                                         Filtered{0, plain_program("filtered"), "late"},
                                         Filtered{1, program("filtered"), "early"},
                                         Filtered{1, program("filtered"), "late"}));

// If there are more ranks than cores, they share a file in memory in addition to the recordings.
TEST(FilterOfSeveral, KillsNoneOfThem) {
  const Scratch scratch;
  const Job job{6, program("filtered") + " early", kFew + " PARCAST_BATON=always"};
  const Outcome plain = run_plain(scratch, job);
  if (plain.exit_code == 77) GTEST_SKIP() << "this system has no filters of system calls";
  ASSERT_EQ(plain.exit_code, 0) << plain.errors;
  EXPECT_EQ(run_recorded(scratch, job).exit_code, 0);
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_EQ(recording->ranks.size(), 6u);
  EXPECT_TRUE(recording->losses.empty());
}

}  // namespace
}  // namespace parcast::record_tests
