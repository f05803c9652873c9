// SPDX-License-Identifier: Apache-2.0
// Threads of the host that are cancelled while the recorder runs in them.
#include <gtest/gtest.h>

#include "launch.h"

namespace parcast::record_tests {
namespace {

constexpr int kThreads = 20, kRounds = 500;

/// Returns a process without a launcher, ended after 30 seconds if it hangs.
Job cancelled(const std::string& what, Mpi mpi) {
  return {0, "timeout 30 " + program("cancelled", mpi) + " " + what, "", "", mpi};
}

std::string all_rounds(int cancelled) {
  return std::to_string(kThreads * kRounds) + " rounds, " + std::to_string(cancelled) +
         " of 20 threads cancelled\n";
}

void expect_all_rounds(const Scratch& scratch, const Job& job, int cancelled) {
  const Outcome plain = run_plain(scratch, job);
  if (plain.exit_code == 77) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  ASSERT_EQ(plain.output, all_rounds(cancelled)) << plain.errors;
  for (int i = 0; i < 5; ++i) {
    const Outcome with = run_recorded(scratch, job);
    ASSERT_EQ(with.exit_code, plain.exit_code) << with.errors;
    EXPECT_EQ(with.output, plain.output);
    const auto recording = recorded(scratch);
    ASSERT_TRUE(recording) << to_string(recording.error());
    EXPECT_TRUE(recording->losses.empty());
    EXPECT_EQ(count(*recording).front().calls.at("MPI_Send"), kThreads * kRounds);
  }
}

class Cancellation : public testing::TestWithParam<Mpi> {};

TEST_P(Cancellation, LeavesThreadsRunningWhereTheHostHasNoCancellationPoint) {
  const Scratch scratch;
  expect_all_rounds(scratch, cancelled("null", GetParam()), 0);
}

TEST_P(Cancellation, EndsThreadsAtTheHostsOwnPoint) {
  const Scratch scratch;
  expect_all_rounds(scratch, cancelled("blocked", GetParam()), kThreads);
}

TEST_P(Cancellation, IsPutOffInTheRecorderAndNowhereElse) {
  for (const std::string more :
       {"", "PARCAST_STACK=on ", "PARCAST_COUNTERS=on ", "PARCAST_TIMES=all PARCAST_LIMIT=1M "}) {
    const Scratch scratch;
    Job job = cancelled("null", GetParam());
    job.environment = more;
    job.tools = ":" PARCAST_CANCELLATION_POINTS;
    const Outcome outcome = run_recorded(scratch, job);
    if (outcome.exit_code == 77) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
    EXPECT_EQ(outcome.output, all_rounds(0));
    EXPECT_EQ(outcome.errors.find("recorder may be cancelled"), std::string::npos) << more << outcome.errors;
    EXPECT_EQ(outcome.errors.find("cancellation put off"), std::string::npos) << more << outcome.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Under, Cancellation, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

// MPICH's own functions have cancellation points when they exchange messages: cancelled threads break it even
// without the recorder.
TEST(CancellationUnderOpenMpi, LeavesMessagesWhole) {
  const Scratch scratch;
  expect_all_rounds(scratch, cancelled("self", kOpenMpi), 0);
}

TEST(CancellationWithoutMpi, IsPutOffInTheRecorder) {
  const Scratch scratch;
  const Job job{0, plain_program("phases") + " mistakes", "", ":" PARCAST_CANCELLATION_POINTS};
  const Outcome outcome = run_recorded(scratch, job);
  EXPECT_EQ(outcome.errors.find("recorder may be cancelled"), std::string::npos) << outcome.errors;
  EXPECT_TRUE(recorded(scratch));
}

}  // namespace
}  // namespace parcast::record_tests
