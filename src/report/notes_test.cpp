// SPDX-License-Identifier: Apache-2.0
#include "report/notes.h"

#include <gmock/gmock.h>

#include "report/confidence.h"
#include "report/test_prediction.h"

namespace parcast::report {
namespace {

using predict::Warning;
using testing::HasSubstr;
using testing::Not;

const std::vector<Warning> kSeveral{
    {"one-sitting", "9 recordings within 1 min", "record one of these runs again"},
    {"ambiguous-count", "several formulas hold for MPI_Bcast", "record a run at N = 97"},
    {"machine-too-small", "64 processes need 32 nodes", "", "here", {{"nodes", 32}, {"has", 1}}},
    {"ambiguous-count", "several formulas hold for MPI_Send", "record a run at N = 98"},
    {"recording-missed", "the model misses it", "look", "p = 4", {{"recorded", 6.53e-3}, {"given", 14.5e-3}}},
    {"memory", "the run needs 2 GB per node", "ask for more nodes"},
    {"beyond-table", "broadcast was measured up to 2 processes", "calibrate"},
};

TEST(Notes, ThreeMostUrgentOnesEachWithAnotherActionAndTheNumberOfOthers) {
  EXPECT_EQ(
      notes_text(kSeveral, {}),
      "  ! the run needs 32 nodes and here has 1: it cannot be made there, and the answer assumes more nodes "
      "like its own;\n    describe a cluster with parcast machine new nodes=32\n"
      "  ! the run needs 2 GB per node; ask for more nodes\n"
      "  ! the model gives 14.5 ms and the recording at p = 4 has 6.53 ms; look\n"
      "  4 more notes: --notes\n");
}

TEST(Notes, OfOneCodeBecomeOneSentenceWithTheirNumber) {
  const std::vector<Warning> counts{kSeveral[1], kSeveral[3]};
  EXPECT_THAT(
      notes_text(counts, {}),
      HasSubstr("! 2 counts fit several formulas, which the interval spans; record a run at N = 97\n"));
  EXPECT_THAT(notes_text(std::span(counts).first(1), {}),
              HasSubstr("! several formulas hold for MPI_Bcast; record a run at N = 97\n"));
}

TEST(Notes, TheWorstPieceOfACodeIsNamed) {
  const std::vector<Warning> two{
      {"never-varied", "", "record", "a", {{"recorded", 1}, {"value", 2}, {"weight", 2}}},
      {"never-varied", "", "record", "b", {{"recorded", 1}, {"value", 8}, {"weight", 8}}}};
  EXPECT_THAT(notes_text(two, {}),
              HasSubstr("! 2 parameters had one value in every recording, b among them; record\n"));
}

TEST(Notes, OperationsWithoutAMeasuredCostAreNamed) {
  const std::vector<Warning> three{{"no-table", "no table for reduce", "calibrate", "reduce"},
                                   {"no-table", "no table for barrier", "calibrate", "barrier"},
                                   {"no-table", "no table for reduce of 2 nodes", "calibrate", "reduce"},
                                   {"no-table", "no table for scan", "calibrate", "scan"}};
  EXPECT_THAT(notes_text(three, {}),
              HasSubstr("! the machine has no measured cost of reduce, barrier and scan; calibrate\n"));
}

TEST(Notes, SeveralWarningsAboutOneOperationNameItOnce) {
  const std::vector<Warning> two{{"no-table", "no table for reduce", "calibrate", "reduce"},
                                 {"no-table", "no table for reduce of 2 nodes", "calibrate", "reduce"}};
  EXPECT_THAT(notes_text(two, {}), HasSubstr("! the machine has no measured cost of reduce; calibrate\n"));
}

TEST(Notes, AllAreThereWhereTheUserAsksForThem) {
  Style style;
  style.notes = true;
  const std::string text = notes_text(kSeveral, style, "  details\n");
  for (const Warning& each : kSeveral) EXPECT_THAT(text, HasSubstr(each.text));
  EXPECT_THAT(text, HasSubstr("  details\n"));
  EXPECT_THAT(text, Not(HasSubstr("--notes")));
}

TEST(Notes, WhatChangesNothingForTheUserIsOnlyCounted) {
  EXPECT_EQ(notes_text(std::span(kSeveral).first(1), {}), "  1 more note: --notes\n");
  EXPECT_EQ(notes_text({}, {}), "");
}

TEST(Notes, TheSameSentenceIsPrintedOnce) {
  Style style;
  style.notes = true;
  const std::vector<Warning> twice{{"simulated", "the link was not measured", ""},
                                   {"interpreted", "the link was not measured", ""}};
  EXPECT_EQ(notes_text(twice, style), "  - the link was not measured\n");
}

TEST(Notes, ARecordingIsDoubtedWithTheModelNotWithEveryAnswer) {
  const std::vector<predict::Warning> warnings{
      {"off-processor", "processes were off the processor", "record again"},
      {"link-assumed", "no link was measured", "measure one"},
      {"core-share", "a share", "simulate"},
      {"order-uncertain", "the order is uncertain", "record more"}};
  EXPECT_THAT(notes_text(warnings, {}), Not(HasSubstr("off the processor")));
  EXPECT_TRUE(notes_text(warnings, {}, "", "--notes", Subject::model)
                  .starts_with("  ! processes were off the processor; record again\n"));
}

TEST(Confidence, HowSureAndWhy) {
  predict::Prediction prediction = molecular_dynamics();
  EXPECT_EQ(confidence_text(prediction), "within 9.4 %: p is 4 times, steps 10 times the largest recorded");
  prediction.checks = predict::CheckSummary{.computing = {12, 0.02, 0.09, {}}};
  prediction.checks->nearest = 0.03;
  EXPECT_EQ(confidence_text(prediction),
            "within 9.4 %: the computing of 12 recordings is reproduced within 9 %, of the nearest within 3 "
            "%; p is "
            "4 times, steps 10 times the largest recorded");
  prediction.extrapolation.clear();
  prediction.seconds.high = 3 * prediction.seconds.value;
  EXPECT_EQ(confidence_text(prediction),
            "within a factor of 3.0: the computing of 12 recordings is reproduced within 9 %, of the nearest "
            "within 3 %; "
            "inside the recorded range");
  prediction.warnings = {{"never-zero", "", "", "steps"}};
  EXPECT_THAT(confidence_text(prediction), HasSubstr("; steps is 0 in no recording"));
  prediction.seconds.low = 0;
  EXPECT_THAT(confidence_text(prediction), HasSubstr("without a bound: "));
  prediction.seconds.level = 0;
  EXPECT_EQ(confidence_text(prediction), "");
}

TEST(Confidence, DistancesOfBothSides) {
  EXPECT_EQ(distance_text({{"N", 0.5}, {"p", 2.0}}),
            "p is 2 times the largest recorded, N is 2 times below the smallest recorded");
  EXPECT_EQ(distance_text({}), "");
}

}  // namespace
}  // namespace parcast::report
