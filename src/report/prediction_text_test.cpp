// SPDX-License-Identifier: Apache-2.0
#include "report/prediction_text.h"

#include <gmock/gmock.h>

#include "report/test_prediction.h"

namespace parcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PredictionText, SaysTheAnswerWhereTheTimeGoesAndWhatItRestsOn) {
  EXPECT_EQ(
      prediction_text(molecular_dynamics(), {false, 100}),
      "lmp, 16 processes, steps = 2000, on here                                                    equation\n"
      "\n"
      "  41.3 s      38.1 .. 45.2 (90 %)      6.90 node-min\n"
      "  within 9.4 %: p is 4 times, steps 10 times the largest recorded\n"
      "\n"
      "  compute   33.9 s  82 %  #################################\n"
      "  messages  4.80 s  12 %  #####  startup 1.10 s, transfer 3.70 s\n"
      "  waiting   2.60 s   6 %  ###  mostly in pair: computing, line 104\n"
      "\n"
      "  region                                  seconds  share  executions      count is\n"
      "  pair: computing, pair_lj_cut.cpp:104      27.10    66%  steps*(n/px+1)  exact\n"
      "  neighbor: build, npair_half_bin.cpp:51    13.90    34%  0.1*steps       fitted\n"
      "  ... 1 more (1 %), --all\n"
      "\n"
      "  counts (executions, bytes) are exact for 96 % of the time, fitted for 3 % (neighbor: build,\n"
      "    npair_half_bin.cpp:51), unknown for 1 %\n"
      "  ! steps between rebuilds depend on the data; one run at steps = 1000 would narrow the answer\n");
}

TEST(PredictionText, HowBlocksOfACompiledProgramWereCounted) {
  auto prediction = molecular_dynamics();
  prediction.work_by_tier = {{program::CountTier::symbolic, .704},
                             {program::CountTier::constant, .292},
                             {program::CountTier::measured, .004}};
  EXPECT_THAT(prediction_text(prediction, {}), HasSubstr("unknown for 1 %\n  of the computing, counts of "
                                                         "blocks are 70 % symbolic, 29 % constant\n  ! "));
}

TEST(PredictionText, AllRegionsOnRequest) {
  const std::string text = prediction_text(molecular_dynamics(), {}, true);
  EXPECT_THAT(text, HasSubstr("lmp: output                                0.30     1%  1"));
  EXPECT_THAT(text, Not(HasSubstr("more (")));
}

TEST(PredictionText, MemoryLimitNodesAndThreadsAppearWhenAsked) {
  auto prediction = molecular_dynamics();
  prediction.nodes = 4;
  prediction.question.threads = 2;
  prediction.question.limit = 86400;
  prediction.within_limit = 0.98;
  prediction.memory_per_node = predict::Estimate{1.2e9, 1.1e9, 1.3e9, 0.9, "B", Origin::fitted};
  prediction.parts.memory = {1.5, 1.4, 1.6};
  const std::string text = prediction_text(prediction, {false, 140});
  EXPECT_THAT(text, HasSubstr("lmp, 16 processes of 2 threads on 4 nodes, steps = 2000, on here"));
  EXPECT_THAT(text, HasSubstr("1.20 GB per node      98 % likely within 24.0 h"));
  EXPECT_THAT(text, HasSubstr("  memory    1.50 s   4 %"));
}

TEST(PredictionText, AnIntervalOverUnitsNamesThem) {
  auto prediction = molecular_dynamics();
  prediction.seconds = {1.5, 0.9, 70000, 0.9};
  EXPECT_THAT(prediction_text(prediction, {}), HasSubstr("1.50 s      0.900 s .. 19.4 h (90 %)"));
}

TEST(PredictionText, NamesFromProgramsCannotReachTheTerminal) {
  auto prediction = molecular_dynamics();
  prediction.program = prediction.regions[0].path = prediction.warnings[0].text = "\033[2J";
  EXPECT_EQ(prediction_text(prediction, {false, 80}, true).find('\033'), std::string::npos);
}

TEST(PredictedCounts, ShowRanksAndCallsWithTheirIntervals) {
  program::PredictedCounts a, b;
  a.rank = 0, b.rank = 1;
  a.calls = {{"MPI_Send", {1000, 1000, 1000, Origin::exact}}};
  b.calls = {{"MPI_Send", {500, 400, 600, Origin::fitted}}, {"MPI_Recv", {2, 2, 2, Origin::exact}}};
  a.messages_sent = {1000, 1000, 1000, Origin::exact};
  a.bytes_sent = {8e6, 8e6, 8e6, Origin::exact};
  a.collective_bytes = {0, 0, 0, Origin::exact};
  b.messages_sent = b.bytes_sent = {500, 400, 600, Origin::fitted};
  b.collective_bytes = {0, 0, 0, Origin::exact};
  program::PredictedCounts c = b, d = b;  // the same on ranks 1 to 3
  c.rank = 2, d.rank = 3;
  EXPECT_EQ(predicted_counts_text({a, b, c, d}, {}),
            "  rank          messages             bytes  collective bytes  found\n"
            "     0             1,000         8,000,000                 0  exact\n"
            "   1-3  500 (400 .. 600)  500 (400 .. 600)                 0  fitted\n"
            "\n"
            "  call                   all ranks            fewest   most  found\n"
            "  MPI_Recv                       6                 0      2  exact\n"
            "  MPI_Send  2,500 (2,200 .. 2,800)  500 (400 .. 600)  1,000  fitted\n");
}

}  // namespace
}  // namespace parcast::report
