// SPDX-License-Identifier: Apache-2.0
// However a process ends, it keeps its exit code and output, and the recording contains everything it did.
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "launch.h"

namespace parcast::record_tests {
namespace {

struct Way {
  Mpi mpi;
  std::string program, way;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.way << " under " << name_of(way.mpi);
}

class Ending : public testing::TestWithParam<Way> {};

TEST_P(Ending, ChangesNothingAndLosesNothing) {
  const Scratch scratch;
  const auto& [mpi, name, way] = GetParam();
  // MPICH's launcher sometimes reports another exit code for a process that failed: there the program runs
  // without it.
  const Job job{mpi == kMpich ? 0 : 2, program(name, mpi) + " " + way, "", "", mpi};
  const Outcome plain = run_plain(scratch, job), with = run_recorded(scratch, job);
  EXPECT_EQ(with.exit_code, plain.exit_code) << with.errors;
  EXPECT_EQ(with.output, plain.output);
  EXPECT_EQ(plain.output.substr(0, 4), "sum ");
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording) << to_string(recording.error());
  const bool finalised = way == "return" || way == "exit";
  for (const recording::RankCounts& counts : count(*recording)) {
    EXPECT_EQ(counts.calls.at("MPI_Sendrecv_replace"), 100u);
    EXPECT_EQ(counts.calls.at("MPI_Allreduce"), 1u);
    EXPECT_EQ(recording->ranks[static_cast<std::size_t>(counts.rank)].finalised, finalised);
  }
  EXPECT_EQ(recording->losses.empty(), finalised);
}

std::vector<Way> ways_of(const std::string& name) {
  std::vector<Way> out;
  for (const Mpi mpi : families())
    for (const char* way : {"return", "exit", "no-finalize", "_exit", "quick_exit", "abort", "segv", "term",
                            "kill", "mpi-abort"})
      out.push_back({mpi, name, way});
  return out;
}

INSTANTIATE_TEST_SUITE_P(C, Ending, testing::ValuesIn(ways_of("endings")));
#ifdef PARCAST_TEST_FORTRAN
INSTANTIATE_TEST_SUITE_P(Fortran, Ending, testing::ValuesIn(ways_of("fortran_endings")));
#endif

// The deadline policy needs privileges that some test machines lack.
TEST(Reservation, TheShareOfACoreIsInTheRecording) {
  const Scratch scratch;
  const std::string reserve =
      "chrt --reset-on-fork --deadline --sched-runtime 1000000 --sched-deadline 4000000 --sched-period "
      "4000000 0 ";
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
