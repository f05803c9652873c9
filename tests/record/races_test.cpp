// SPDX-License-Identifier: Apache-2.0
// The recorder's own code under the thread sanitizer, in programs whose threads do everything at once.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string_view>

#include "launch.h"

namespace parcast::record_tests {
namespace {

#ifdef PARCAST_TSAN_RECORDER

/// The MPI libraries are not instrumented, so the sanitizer misses half of their synchronisation. Reports
/// about them are suppressed. Reports in which both sides are our code, or the program's, are not.
const char* const kOfTheLibraries =
    "race:libmpich.so\nrace:libmpi.so.40\nrace:libopen-pal.so\nrace:libopen-rte\nrace:libpmix\nrace:"
    "libevent\nrace:mca_\n"
    "mutex:libopen\nmutex:libmpi\nmutex:mca_\nthread:libopen-pal.so\nthread:libpmix\nthread:libmpich.so\n"
    "called_from_lib:libmpich.so.12\ncalled_from_lib:libmpi.so.40\ncalled_from_lib:libopen-pal.so.40\n";

/// Runs one process without a launcher, since launchers are not instrumented. Address space randomization is
/// off where possible, since the sanitizer needs a fixed range; memory hooks of UCX would hide mappings from
/// it.
Outcome run_sanitized(const Scratch& scratch, Mpi mpi, const std::string& arguments,
                      const std::string& environment = "") {
  fs::remove_all(scratch / "run");
  std::ofstream(scratch / "suppressions") << kOfTheLibraries;
  const std::string line =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_MEM_EVENTS=n "
      "TSAN_OPTIONS='exitcode=66 history_size=7 suppressions=" +
      (scratch / "suppressions").string() +
      "' "
      "PARCAST_OUT=" +
      (scratch / "run").string() + " " + environment +
      " LD_PRELOAD='" PARCAST_TSAN_RUNTIME " " PARCAST_TSAN_RECORDER
      "' "
      "timeout 200 $(setarch -R true 2>/dev/null && echo setarch -R) " +
      program("racing", mpi) + " " + arguments;
  return shell(scratch, own_session(scratch) + line);
}

/// The sanitizer remembers an access only for a while. Without the other side of a race, no suppression can
/// match a library. A few such reports are allowed (a library's thread that wakes another touches the other's
/// stack), but none with both sides known.
constexpr int kForgotten = 2;

testing::AssertionResult free_of_races(const Outcome& outcome) {
  constexpr std::string_view kReport = "WARNING: ThreadSanitizer";
  int forgotten = 0;
  for (std::size_t at = outcome.errors.find(kReport); at != std::string::npos;) {
    const std::size_t next = outcome.errors.find(kReport, at + 1);
    const bool lost = outcome.errors.substr(at, next == std::string::npos ? next : next - at)
                          .find("[failed to restore the stack]") != std::string::npos;
    if (!lost || ++forgotten > kForgotten) return testing::AssertionFailure() << outcome.errors;
    at = next;
  }
  if (outcome.exit_code == (forgotten > 0 ? 66 : 0)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "exit code " << outcome.exit_code << "\n" << outcome.errors;
}

std::map<std::string, std::uint64_t> calls_in(const Scratch& scratch) {
  const auto recording = recorded(scratch);
  EXPECT_TRUE(recording) << to_string(recording.error());
  if (!recording) return {};
  for (const recording::Loss& loss : recording->losses) ADD_FAILURE() << loss.what;
  return recording::count(*recording).at(0).calls;
}

class Races : public testing::TestWithParam<Mpi> {};

TEST_P(Races, NoneAndNothingIsLost) {
  const Scratch scratch;
  constexpr std::uint64_t kRounds = 6000, kThreads = 2 * 4;
  const Outcome outcome = run_sanitized(scratch, GetParam(), std::to_string(kRounds));
  ASSERT_TRUE(free_of_races(outcome));
  EXPECT_EQ(outcome.output, "done\n");
  auto calls = calls_in(scratch);
  EXPECT_EQ(calls["MPI_Irecv"], kThreads * kRounds);
  EXPECT_EQ(calls["MPI_Isend"], kThreads * kRounds);
  EXPECT_EQ(calls["MPI_Waitall"], kThreads * (kRounds + 3 * kRounds / 500));
  EXPECT_EQ(calls["MPI_Sendrecv"], kThreads * (1 + kRounds / 100 + kRounds / 1000));
  EXPECT_EQ(calls["MPI_Comm_dup"], kThreads * kRounds / 1000 + 4);
}

TEST_P(Races, NoneWithPathsByTheStack) {
  const Scratch scratch;
  const Outcome outcome = run_sanitized(scratch, GetParam(), "2000", "PARCAST_STACK=on");
  ASSERT_TRUE(free_of_races(outcome));
  EXPECT_EQ(calls_in(scratch)["MPI_Irecv"], 2u * 4 * 2000);
  const auto recording = recorded(scratch);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->ranks.at(0).without_path, 0u);
}

INSTANTIATE_TEST_SUITE_P(Families, Races, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

#endif

}  // namespace
}  // namespace parcast::record_tests
