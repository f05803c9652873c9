// SPDX-License-Identifier: Apache-2.0
#include "cli/runs_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "causes/efficiencies.h"

namespace parcast::cli {
namespace {

Result<causes::Runs> read(const std::string& text, const std::vector<std::string>& further = {}) {
  const auto csv = parse_csv(text, "runs.csv");
  EXPECT_TRUE(csv.ok());
  return runs_from(*csv, further);
}

std::string refusal(const std::string& text, const std::vector<std::string>& further = {}) {
  const auto runs = read(text, further);
  return runs.ok() ? "" : to_string(runs.error());
}

TEST(RunsTable, RowsBecomePhasesOfRuns) {
  const auto runs = read(
      "n,p,process,kind,phase,seconds,operations,quantums,swapped,frequency\n"
      "100,1,0,computation,multiply,2,1e6,,0,3e9\n"
      "100,2,0,computation,multiply,1,5e5,,0,3e9\n"
      "100,2,0,communication,,0.25,,40,,\n"
      "100,2,1,computation,multiply,1.5,5e5,,7,3e9\n");
  ASSERT_TRUE(runs.ok()) << to_string(runs.error());
  ASSERT_EQ(runs->runs.size(), 2u);
  EXPECT_EQ(runs->variables[2].name, "swapped");
  EXPECT_EQ(runs->variables[3].role, causes::Role::speed);
  const causes::Run& two = runs->runs[1];
  EXPECT_EQ(two.processes, 2);
  EXPECT_EQ(two.parameters, (std::map<std::string, double>{{"n", 100}}));
  ASSERT_EQ(two.phases.size(), 3u);
  EXPECT_EQ(two.phases[1].kind, causes::Kind::communication);
  EXPECT_EQ(two.phases[1].values[1], 40);
  EXPECT_TRUE(std::isnan(two.phases[1].values[0]));
  EXPECT_EQ(two.phases[2].process, 1);
  EXPECT_EQ(two.phases[2].name, "multiply");
  EXPECT_EQ(two.phases[2].values[2], 7);
}

TEST(RunsTable, RunsAtTheSamePointAreToldApartByName) {
  EXPECT_EQ(read("run,p,kind,seconds\na,1,computation,2\nb,1,computation,3\n")->runs.size(), 2u);
  EXPECT_EQ(refusal("p,kind,seconds\n1,computation,2\n1,computation,3\n"),
            "runs.csv:3: error: process 0 has this phase in this run already\n  distinguish runs at the same "
            "point by a column run");
}

TEST(RunsTable, AColumnOfOnesOwnIsACandidateWhereAsked) {
  const std::string text = "p,kind,seconds,gremlins\n1,computation,2,3\n";
  EXPECT_EQ(read(text)->runs[0].parameters.count("gremlins"), 1u);
  const auto asked = read(text, {"gremlins"});
  EXPECT_TRUE(asked->runs[0].parameters.empty());
  EXPECT_EQ(asked->variables[0].name, "gremlins");
  EXPECT_EQ(refusal(text, {"gremlin"}),
            "runs.csv: error: there is no column gremlin for --candidate\n  did you mean gremlins?");
}

TEST(RunsTable, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(
      refusal("p,seconds\n1,2\n"),
      "runs.csv: error: there is no column kind\n  parcast explain -h lists the columns of a table of runs");
  EXPECT_EQ(refusal("p,kind,seconds\n1,computing,2\n"),
            "runs.csv:2: error: kind is \"computing\"\n  it is computation, communication or idle");
  EXPECT_EQ(refusal("p,kind,seconds\n1,computatoin,2\n"),
            "runs.csv:2: error: kind is \"computatoin\"\n  did you mean computation?");
  EXPECT_EQ(refusal("p,kind,seconds\n1,idle,2s\n"),
            "runs.csv:2: error: seconds is \"2s\", which is not a number\n  write it without a unit");
  EXPECT_EQ(refusal("p,kind,seconds,operation\n1,idle,2,1\n"),
            "runs.csv: error: column operation is not known\n  did you mean operations?");
  EXPECT_EQ(refusal("p,kind,seconds\n1.5,idle,2\n"),
            "runs.csv:2: error: p is 1.5, but must be a whole number of at least 1");
  EXPECT_EQ(refusal("p,process,kind,seconds,n\n2,0,idle,2,1\n2,1,idle,2,3\n"),
            "runs.csv, n = 1, p = 2: error: only 1 of 2 processes have phases\n  give each process at least "
            "one row; runs at the same point need names of their own; "
            "taken for parameters: n (--candidate NAME takes a column for a possible cause)");
}

TEST(RunsTable, EachOtherMistakeIsASentence) {
  const char* kHint = "\n  parcast explain -h lists the columns of a table of runs";
  EXPECT_EQ(refusal("kind,seconds\nidle,2\n"), std::string("runs.csv: error: there is no column p") + kHint);
  EXPECT_EQ(refusal("p,kind\n1,idle\n"), std::string("runs.csv: error: there is no column seconds") + kHint);
  EXPECT_EQ(refusal("p,kind,seconds\n"),
            "runs.csv: error: the table holds no run\n  every line after the header is a phase of a process");
  EXPECT_EQ(refusal("p,processes,kind,seconds\n1,1,idle,2\n"),
            "runs.csv: error: columns p and processes mean the same\n  leave one of them out");
  EXPECT_EQ(refusal("p,process,rank,kind,seconds\n1,0,0,idle,2\n"),
            "runs.csv: error: columns process and rank mean the same\n  leave one of them out");
  EXPECT_EQ(refusal("p,kind,seconds\n1,computation,-2\n"),
            "runs.csv:2: error: seconds is -2\n  times are 0 or more");
  EXPECT_EQ(refusal("p,kind,seconds,swapped\n1,computation,2,-1\n"),
            "runs.csv:2: error: swapped is -1\n  counts are 0 or more");
  EXPECT_EQ(refusal("p,kind,seconds\n1,computation,nan\n"),
            "runs.csv:2: error: seconds is \"nan\", which is not a number\n  write it without a unit");
  EXPECT_EQ(refusal("p,kind,seconds,swapped\n1,computation,2,nan\n"),
            "runs.csv:2: error: swapped is \"nan\", which is not a number\n  write it without a unit, and "
            "leave it empty where it was not measured");
  EXPECT_EQ(refusal("n,p,kind,seconds\ninf,1,computation,2\n"),
            "runs.csv:2: error: n is \"inf\", which is not a number\n  write it without a unit");
  EXPECT_EQ(refusal("p,kind,seconds\n0,computation,2\n"),
            "runs.csv:2: error: p is 0, but must be a whole number of at least 1");
  EXPECT_EQ(refusal("p,kind,seconds\n1,computation,0\n"),
            "runs.csv, p = 1: error: a run takes no time\n  leave it out");
  EXPECT_EQ(refusal("p,process,kind,seconds\n1,1,computation,2\n"),
            "runs.csv, p = 1: error: there is no process 1 among 1\n  processes are numbered from 0");
  EXPECT_EQ(refusal("p,kind,seconds,ideal_seconds\n1,computation,2,1\n1,idle,1,1.5\n"),
            "runs.csv:3: error: ideal_seconds is 1.5, but 1 in another row of this run\n  a run has one time "
            "on the ideal network");
  const auto refused = parse_csv("p,kind,seconds,seconds\n", "runs.csv");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(to_string(refused.error()),
            "runs.csv:1: error: column seconds is named twice\n  rename one of them");
}

/// Rank 0 computes 10 us and sends for 5; rank 1 computes 2, receives until 17 and computes 4 more.
recording::Recording sent() {
  using recording::CallClass;
  recording::Recording made;
  made.program = "sent";
  made.processes = 2;
  made.calls = {{"MPI_Send", CallClass::send, recording::Pattern::none},
                {"MPI_Recv", CallClass::receive, recording::Pattern::none},
                {"MPI_Finalize", CallClass::finalise, recording::Pattern::none}};
  for (const int rank : {0, 1}) {
    recording::RankRecording& each = made.ranks.emplace_back();
    each.rank = rank;
    each.finalised = each.complete = true;
    each.regions = {""};
    each.sites = {{}};
    each.shares.emplace_back();
    each.communicators.emplace_back().world_ranks = {0, 1};
    recording::Event call;
    call.call = static_cast<std::uint16_t>(rank);
    (rank == 0 ? call.message : call.received) = {1 - rank, 0, 64};
    call.compute = call.enter = rank == 0 ? 10'000 : 2'000;
    call.exit = rank == 0 ? 15'000 : 17'000;
    recording::Event finalise;
    finalise.call = 2;
    finalise.compute = rank == 0 ? 0 : 4'000;
    finalise.enter = call.exit + finalise.compute;
    finalise.exit = finalise.enter + 100;
    each.events = {call, finalise};
    each.wall = finalise.enter;
  }
  return made;
}

// By hand: 21 us. If messages cost nothing, rank 1 continues at 10 us and ends at 14 us. The longest
// computing is 10 us.
TEST(RunsTable, ARecordingsCommunicationIsSplitByItsReplayOnAnIdealNetwork) {
  const auto runs = runs_of({sent()});
  ASSERT_TRUE(runs.ok()) << to_string(runs.error());
  ASSERT_TRUE(runs->runs[0].ideal_seconds);
  EXPECT_NEAR(*runs->runs[0].ideal_seconds, 14e-6, 1e-12);
  const auto pop = causes::efficiencies(runs->runs[0]);
  ASSERT_TRUE(pop.ok());
  EXPECT_NEAR(*pop->serialisation, 10.0 / 14, 1e-9);
  EXPECT_NEAR(*pop->transfer, 14.0 / 21, 1e-9);
  EXPECT_NEAR(pop->load_balance, 8.0 / 10, 1e-9);
}

TEST(RunsTable, AReplayThatHangsLeavesCommunicationUnsplitAndIsNoted) {
  recording::Recording lonely = sent();
  lonely.ranks[0].events.erase(lonely.ranks[0].events.begin());
  const auto runs = runs_of({lonely});
  ASSERT_TRUE(runs.ok());
  EXPECT_FALSE(runs->runs[0].ideal_seconds);
  EXPECT_EQ(
      runs->notes,
      (std::vector<std::string>{
          "p = 2: communication is not split into serialisation and transfer, since its replay hangs"}));
}

}  // namespace
}  // namespace parcast::cli
