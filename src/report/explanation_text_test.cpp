// SPDX-License-Identifier: Apache-2.0
#include "report/explanation_text.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/table.h"
#include "report/test_prediction.h"

namespace parcast::report {
namespace {

using testing::HasSubstr;

explain::Explanation explanation() {
  explain::Explanation out;
  out.prediction = molecular_dynamics();
  explain::Contribution compute, send;
  compute.path = "pair/compute", compute.where = "pair_lj_cut.cpp:104", compute.executions = "steps";
  compute.seconds = {31}, compute.share = 0.75, compute.cumulative = 0.75, compute.origin = Origin::fitted;
  send.path = "comm/forward/MPI_Send", send.executions = "6*steps";
  send.seconds = {10.3}, send.share = 0.25, send.cumulative = 1, send.origin = Origin::exact;
  out.contributions = {compute, send};
  explain::ParameterWeight latency;
  latency.sensitivity = {"links.node.latency", 2e-6, 1.5e6, 0.0726};
  latency.half_width = 0.25, latency.origin = Origin::measured;
  out.sensitivities = {latency};
  explain::Efficiency efficiency;
  efficiency.sequential_seconds = 400, efficiency.speedup = 9.684, efficiency.efficiency = 0.605;
  efficiency.compute_overhead = 1.356, efficiency.transfer_overhead = 0.192, efficiency.wait_overhead = 0.104;
  efficiency.load_balance = 0.93, efficiency.communication_efficiency = 0.88;
  out.efficiency = efficiency;
  out.crossovers = {{"fastest", "more than 256 processes do not make it faster", 256, 11.5}};
  out.advice = {{"record-larger", "record a run at p = 8", 0.6}};
  return out;
}

TEST(ExplanationText, SaysWhatItIsSummedFromWhatMattersAndWhatToDo) {
  EXPECT_EQ(
      explanation_text(explanation(), {}),
      "lmp, 16 processes, steps = 2000, on here: 41.3 s, 38.1 .. 45.2\n"
      "  within 9.4 %: p is 4 times, steps 10 times the largest recorded\n"
      "\n"
      "  region, lines of pair_lj_cut.cpp  seconds  share   sum  executions  count is\n"
      "  pair: computing, line 104           31.00    75%   75%  steps       fitted\n"
      "  forward: MPI_Send                   10.30    25%  100%  6*steps     exact\n"
      "\n"
      "  machine parameter   10 % more  elasticity  its error  found\n"
      "  links.node.latency    +300 ms      0.0726   +-250 ms  measured\n"
      "\n"
      "  speedup 9.68 over the model's own 400 s at p = 1, efficiency 61 %; load balance 93 %, communication "
      "efficiency 88 %\n"
      "  processor time per unit of work: compute 1.36 + transfer 0.192 + waiting 0.104 = 1.65\n"
      "\n"
      "  p = 256 (11.5 s): more than 256 processes do not make it faster\n"
      "  > record a run at p = 8\n"
      "  ! steps between rebuilds depend on the data; one run at steps = 1000 would narrow the answer\n");
}

TEST(ExplanationText, FitsATerminalOf80Columns) {
  auto wordy = explanation();
  wordy.contributions[0].path = "a_longer_region/compute before MPI_Sendrecv";
  wordy.contributions[0].executions = "steps - ceil(steps/20) + 1";
  wordy.contributions[1].origin = Origin::ambiguous;
  wordy.sensitivities[0].sensitivity.parameter = "links.node.rendezvous_gap_per_byte";
  wordy.sensitivities[0].identified = false;
  const std::string text = explanation_text(wordy, {false, 80});
  for (const std::string& line : split(text, '\n')) EXPECT_LE(columns_of(line), 80U) << line;
  EXPECT_THAT(text, HasSubstr("a_longer_region: computing, line 104"));
  EXPECT_THAT(text,
              HasSubstr("  links.node.rendezvous_gap_per_byte    +300 ms   +-250 ms  not identified\n"));
}

TEST(ExplanationText, SaysHowLikelyTheLimitIsKept) {
  auto limited = explanation();
  limited.prediction.question.limit = 3600, limited.prediction.within_limit = 0.98;
  EXPECT_THAT(explanation_text(limited, {}), HasSubstr("38.1 .. 45.2, 98 % likely within 60.0 min\n"));
}

TEST(ExplanationText, TenLargestUnlessAllAreAskedFor) {
  auto long_one = explanation();
  long_one.contributions.resize(14, long_one.contributions[1]);
  EXPECT_THAT(explanation_text(long_one, {}), HasSubstr("  ... 4 more, --all\n"));
  EXPECT_EQ(explanation_text(long_one, {}, true).find("--all"), std::string::npos);
}

TEST(ExplanationText, AMachineWithoutInfluenceIsSaid) {
  auto free = explanation();
  free.sensitivities.clear(), free.efficiency.reset();
  EXPECT_THAT(explanation_text(free, {}),
              HasSubstr("no machine parameter changes this answer by more than 0.1 %"));
}

}  // namespace
}  // namespace parcast::report
