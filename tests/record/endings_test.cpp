// SPDX-License-Identifier: Apache-2.0
// However a process ends, its exit code and output are its own, and all it did is in the recording.
#include <gtest/gtest.h>

#include "launch.h"

namespace parcast::record_tests {
namespace {

class Ending : public testing::TestWithParam<const char*> {};

TEST_P(Ending, ChangesNothingAndLosesNothing) {
  const Scratch scratch;
  const Job job{2, program("endings") + " " + GetParam()};
  const Outcome plain = run_plain(scratch, job), with = run_recorded(scratch, job);
  EXPECT_EQ(with.exit_code, plain.exit_code) << with.errors;
  EXPECT_EQ(with.output, plain.output);
  EXPECT_EQ(plain.output.substr(0, 4), "sum ");
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  const std::string way = GetParam();
  const bool finalised = way == "return" || way == "exit";
  for (const recording::RankCounts& counts : count(*recording)) {
    EXPECT_EQ(counts.calls.at("MPI_Sendrecv_replace"), 100u);
    EXPECT_EQ(counts.calls.at("MPI_Allreduce"), 1u);
    EXPECT_EQ(recording->ranks[static_cast<std::size_t>(counts.rank)].finalised, finalised);
  }
  EXPECT_EQ(recording->losses.empty(), finalised);
}

INSTANTIATE_TEST_SUITE_P(Ways, Ending,
                         testing::Values("return", "exit", "no-finalize", "_exit", "quick_exit", "abort", "segv", "term",
                                         "kill", "mpi-abort"));

// The deadline policy needs privileges that not every place to test has.
TEST(Reservation, TheShareOfACoreIsInTheRecording) {
  const Scratch scratch;
  const std::string reserve = "chrt --reset-on-fork --deadline --sched-runtime 1000000 --sched-deadline 4000000 --sched-period 4000000 0 ";
  if (shell(scratch, reserve + "true").exit_code != 0) GTEST_SKIP() << "no reservations here";
  const Outcome outcome = run_recorded(
      scratch, {1, reserve + program("endings") + " return", "OMPI_MCA_hwloc_base_binding_policy=none"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_DOUBLE_EQ(recording->ranks[0].processor_share, 0.25);
  ASSERT_EQ(run_recorded(scratch, {1, program("endings") + " return"}).exit_code, 0);
  EXPECT_DOUBLE_EQ(recorded(scratch)->ranks[0].processor_share, 1);
}

}  // namespace
}  // namespace parcast::record_tests
