// SPDX-License-Identifier: Apache-2.0
// Call paths from the stack: programs whose paths to each call are known.
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>

#include "launch.h"
#include "recording/unfold.h"

namespace parcast::record_tests {
namespace {

using namespace recording;
using testing::HasSubstr;
using testing::StartsWith;
using Paths = std::set<std::string>;

Recording record_with_stack(const Scratch& scratch, const Job& job) {
  const Outcome outcome = run_recorded(scratch, job);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  auto result = recorded(scratch);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  if (!result) return {};
  resolve_sites(*result);
  EXPECT_TRUE(result->losses.empty()) << result->losses.front().what;
  return std::move(*result);
}

/// Returns the paths of broadcasts, by the number of integers that they send.
std::map<std::uint64_t, Paths> ways_of(const Recording& recording, const RankRecording& rank) {
  std::map<std::uint64_t, Paths> ways;
  for_each_event(rank, recording.calls, [&](const Event& event, auto) {
    const Call& call = recording.calls[event.call];
    if (call.name == "MPI_Bcast")
      ways[collective_volume(event, call.pattern) / 4].insert(rank.regions[event.region]);
  });
  return ways;
}

std::map<std::string, std::uint64_t> counts_by_path(const Recording& recording, const RankRecording& rank,
                                                    const std::string& call) {
  std::map<std::string, std::uint64_t> counts;
  for_each_event(rank, recording.calls, [&](const Event& event, auto) {
    if (recording.calls[event.call].name == call) ++counts[rank.regions[event.region]];
  });
  return counts;
}

class Stack : public testing::TestWithParam<Mpi> {
 protected:
  Recording record(const std::string& arguments, int processes = 1) {
    const Mpi mpi = GetParam();
    return record_with_stack(
        scratch_, {processes, program("stack", mpi) + " " + arguments, "PARCAST_STACK=on", "", mpi});
  }
  Scratch scratch_;
};

std::string alternating(int functions) {
  std::string path;
  for (int i = functions; i > 0; --i) path += (path.empty() ? "" : "/") + std::string(i % 2 ? "even" : "odd");
  return path;
}

TEST_P(Stack, EveryWayIsTheProgramsOwn) {
  const Recording recording = record("", 2);
  ASSERT_EQ(recording.ranks.size(), 2u);
  const std::map<std::uint64_t, Paths> expected{
      {1, {"main/exchange"}},
      {2, {"main/left/exchange"}},
      {3, {"main/right/exchange"}},
      {4, {"main/outer_one/varying/exchange"}},
      {5, {"main/outer_two/varying/exchange"}},
      {6, {"main/aligned/exchange"}},
      {7, {"main/aligned_varying/exchange"}},
      {8, {"main/recursive/exchange"}},
      {9, {"main/" + alternating(5) + "/exchange"}},
      {10, {".../" + alternating(63) + "/exchange"}},
      {11, {"main/recursive/exchange"}},
      {12, {"main/model::Implicit::step(int)/exchange"}},
      {13, {"main/model::operator\u2215(model::Ratio, model::Ratio)/exchange"}},
      {14, {"main/holds_inlined/exchange"}},
      {15, {"main/catches/throws/exchange"}},
      {16, {"main/catches/exchange"}},
      {20, {"main/in_region/step/left/exchange"}},
      {21, {"main/in_region/step/exchange"}},
      {22, {"main/in_region/step/half/exchange"}},
      {23, {"main/in_region/exchange"}},
      {30, {"main/jumps/exchange"}},
      {31, {"main/exchange"}},
      {33, {".../recursive/exchange"}}};
  for (const RankRecording& rank : recording.ranks) {
    auto ways = ways_of(recording, rank);
    ASSERT_EQ(ways[60].size(), 1u);
    EXPECT_THAT(*ways[60].begin(), StartsWith("main/sorts/")) << "with qsort's own between";
    EXPECT_THAT(*ways[60].begin(), HasSubstr("/compare"));
    ways.erase(60);
    EXPECT_EQ(ways, expected);
    EXPECT_EQ(rank.without_path, 0u);
    EXPECT_EQ(counts_by_path(recording, rank, "MPI_Init_thread"),
              (std::map<std::string, std::uint64_t>{{"early", 1}}));
    EXPECT_EQ(counts_by_path(recording, rank, "MPI_Finalize"),
              (std::map<std::string, std::uint64_t>{{"main", 1}}));
  }
}

TEST_P(Stack, PollsByTwoWaysAreNotOneLoop) {
  const Recording recording = record("");
  EXPECT_EQ(
      counts_by_path(recording, recording.ranks.at(0), "MPI_Iprobe"),
      (std::map<std::string, std::uint64_t>{{"main/poll_left/polls", 50}, {"main/poll_right/polls", 50}}));
}

TEST_P(Stack, AThreadsPathBeginsWithItsFunction) {
  const Recording recording = record("threads");
  const auto ways = ways_of(recording, recording.ranks.at(0));
  ASSERT_EQ(ways.at(32).size(), 1u);
  EXPECT_THAT(*ways.at(32).begin(), testing::MatchesRegex("thread_main(\\(void\\*\\))?/left/exchange"));
}

TEST_P(Stack, OfACoroutineIsNotLookedAt) {
  const Recording recording = record("coroutine");
  EXPECT_EQ(ways_of(recording, recording.ranks.at(0)).at(34), Paths{""});
  EXPECT_EQ(recording.ranks[0].without_path, 2u);
}

TEST_P(Stack, IsLookedAtOnlyWhenThatIsAskedFor) {
  const Mpi mpi = GetParam();
  const Recording recording = record_with_stack(scratch_, {1, program("stack", mpi), "", "", mpi});
  EXPECT_EQ(recording.ranks.at(0).regions, (std::vector<std::string>{"", "early", "step", "step/half"}));
  EXPECT_TRUE(recording.ranks[0].path_parts.empty());
  EXPECT_EQ(recording.ranks[0].without_path, 0u);
}

TEST_P(Stack, ThatChangesAllTheTimeIsFollowedForALimitedTime) {
  const Mpi mpi = GetParam();
  constexpr std::uint64_t kEvents = 400000;
  const Job job{1, program("varying_stack", mpi) + " " + std::to_string(kEvents), "PARCAST_STACK=on", "",
                mpi};
  const Recording recording = record_with_stack(scratch_, job);
  const RankRecording& rank = recording.ranks.at(0);
  std::map<std::string, std::uint64_t> counts;
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedKey& key : chapter.keys)
      if (recording.calls[key.call].name != "MPI_Init") counts[rank.regions[key.region]] += key.executions;
  for (const Event& event : rank.events)
    if (recording.calls[event.call].name != "MPI_Init") counts[rank.regions[event.region]] += 1;
  EXPECT_GT(rank.without_path, 0u);
  const std::string deep = "main/recursive/at_depth";
  EXPECT_GT(counts[deep], 0u);
  EXPECT_EQ(counts[deep] + counts["main"] + counts[""], kEvents + 2)
      << "the last one and MPI_Finalize by main, if there was time left";
  EXPECT_EQ(counts[""], rank.without_path);
  EXPECT_LT(counts[deep], kEvents / 2) << "all would take some seconds, 0.1 s and 2 % are allowed";
}

TEST_P(Stack, TheProgramPrintsAndReturnsTheSame) {
  const Mpi mpi = GetParam();
  for (const std::string& command : {program("varying_stack", mpi), program("stack", mpi) + " threads",
                                     program("stack", mpi) + " coroutine"}) {
    const Job job{2, command, "PARCAST_STACK=on", "", mpi};
    const Outcome with = run_recorded(scratch_, job), without = run_plain(scratch_, job);
    EXPECT_EQ(with.exit_code, without.exit_code) << with.errors;
    EXPECT_EQ(with.output, without.output);
  }
}

TEST_P(Stack, OfManyThreads) {
  const Mpi mpi = GetParam();
  const Recording recording =
      record_with_stack(scratch_, {2, program("threads", mpi) + " 2000", "PARCAST_STACK=on", "", mpi});
  for (const RankRecording& rank : recording.ranks) {
    EXPECT_EQ(rank.without_path, 0u);
    for (const Chapter& chapter : rank.chapters)
      for (const FoldedKey& key : chapter.keys)
        EXPECT_THAT(rank.regions[key.region], testing::MatchesRegex("|main|work(\\(void\\*\\))?"));
  }
}

/// Removes the lines of a library's log, which contain the time.
std::string of_program(const std::string& output) {
  std::istringstream lines(output);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.find("  UCX  ") == std::string::npos) kept += line + '\n';
  return kept;
}

TEST_P(Stack, OfAHostileProgramIsNoDanger) {
  const Mpi mpi = GetParam();
  for (const std::string way :
       {"quiet", "signals", "folder", "environment", "descriptors", "file-size", "address-space"}) {
    const Job job{1, program("hostile", mpi) + " " + way, "PARCAST_STACK=on", "", mpi};
    const Outcome with = run_recorded(scratch_, job), without = run_plain(scratch_, job);
    EXPECT_EQ(with.exit_code, without.exit_code) << way << ": " << with.errors;
    EXPECT_EQ(of_program(with.output), of_program(without.output)) << way;
  }
}

INSTANTIATE_TEST_SUITE_P(By, Stack, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

#ifdef PARCAST_TEST_FORTRAN
class FortranStack : public testing::TestWithParam<std::tuple<Mpi, std::string>> {};

TEST_P(FortranStack, HasTheProgramsFunctionsAlone) {
  const Scratch scratch;
  const auto& [mpi, binding] = GetParam();
  const Recording recording =
      record_with_stack(scratch, {2, program("fortran_stack_" + binding, mpi), "PARCAST_STACK=on", "", mpi});
  for (const RankRecording& rank : recording.ranks) {
    EXPECT_EQ(ways_of(recording, rank),
              (std::map<std::uint64_t, Paths>{{1, {"main/heat/solve/__grid_MOD_halo"}},
                                              {2, {"main/heat/__grid_MOD_halo"}}}));
    EXPECT_EQ(rank.without_path, 0u);
  }
}

TEST_P(FortranStack, TheModuleOfTheRegionApiIsNoPart) {
  const Scratch scratch;
  const Mpi mpi = std::get<0>(GetParam());
  const Recording recording =
      record_with_stack(scratch, {2, program("fortran_regions", mpi), "PARCAST_STACK=on", "", mpi});
  for (const auto& [path, events] : counts_by_path(recording, recording.ranks.at(1), "MPI_Barrier"))
    EXPECT_THAT(path, testing::MatchesRegex("main/step(/inner)?")) << events;
}

INSTANTIATE_TEST_SUITE_P(
    By, FortranStack, testing::Combine(testing::ValuesIn(families()), testing::Values("mpif", "mpi", "f08")),
    [](const auto& each) {
      return std::string(name_of(std::get<0>(each.param))) + "_" + std::get<1>(each.param);
    });
#endif

}  // namespace
}  // namespace parcast::record_tests
