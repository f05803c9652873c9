// SPDX-License-Identifier: Apache-2.0
#include "predict/continued_totals.h"

#include <gtest/gtest.h>

#include <vector>

#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;

/// Runs of 10 us n^2 / p on the machine "paper".
program::Model recorded(const std::vector<int>& processes) {
  Builder b("heat");
  b.add_parameter("n", {100, 200, 400});
  for (const int p : processes)
    for (const double n : {100., 200., 400.}) {
      program::Source& source = b.model.sources.emplace_back();
      source.processes = p;
      source.parameters = {{"n", n}};
      source.seconds = 1e-5 * n * n / p;
    }
  b.model.checks.machine = "paper";
  return b.model;
}

machine::Machine paper() {
  return simple_machine(1e-6, 1e-7, 1e-9);
}

Prediction prediction_of(double seconds, double n, std::int32_t p) {
  Prediction out;
  out.question = ask(p, {{"n", n}});
  out.nodes = p;
  out.seconds.value = seconds, out.seconds.low = 0.9 * seconds, out.seconds.high = 1.1 * seconds;
  out.seconds.level = 0.9;
  return out;
}

TEST(ContinuedTotals, FollowTheLawOfTheRecordedTimes) {
  const auto found = continue_totals(recorded({1, 2, 4}), paper(), prediction_of(1, 800, 4));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 1e-5 * 800 * 800 / 4, 0.1 * 1.6);
  EXPECT_LT(found->low, 1.6);
  EXPECT_GT(found->high, 1.6);
}

TEST(ContinuedTotals, AreNoneWhereTheRecordedTimesAreOfSomethingElse) {
  const program::Model model = recorded({1, 2, 4});
  const Prediction larger = prediction_of(1, 800, 4);
  machine::Machine other = paper();
  other.name = "other";
  EXPECT_FALSE(continue_totals(model, other, larger));
  machine::Machine wide = paper();
  wide.cores_per_node = 2;
  EXPECT_FALSE(continue_totals(model, wide, larger)) << "on four nodes of two cores";
  Prediction placed = larger;
  placed.question.ranks_per_node = 1;
  EXPECT_FALSE(continue_totals(model, paper(), placed));
  program::Model crowded = model;
  for (program::Source& source : crowded.sources) source.oversubscribed = source.processes > 1;
  EXPECT_FALSE(continue_totals(crowded, paper(), larger)) << "three runs are left";
}

TEST(ContinuedTotals, NeedThreeProcessCountsForMoreProcesses) {
  EXPECT_FALSE(continue_totals(recorded({1, 2}), paper(), prediction_of(1, 400, 8)));
  EXPECT_TRUE(continue_totals(recorded({1, 2}), paper(), prediction_of(1, 800, 2)));
  EXPECT_TRUE(continue_totals(recorded({1, 2, 4}), paper(), prediction_of(1, 400, 8)));
}

TEST(ContinuedTotals, WarnWhereBothIntervalsHaveNoValueInCommon) {
  const auto warned = [](double seconds) {
    Prediction prediction = prediction_of(seconds, 800, 4);
    compare_with_totals(recorded({1, 2, 4}), paper(), prediction);
    return !prediction.warnings.empty() && prediction.warnings[0].code == "totals-differ";
  };
  EXPECT_FALSE(warned(1.6));
  EXPECT_TRUE(warned(160));
  EXPECT_TRUE(warned(0.016));
}

}  // namespace
}  // namespace parcast::predict
