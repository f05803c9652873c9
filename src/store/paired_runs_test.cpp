// SPDX-License-Identifier: Apache-2.0
#include "store/paired_runs.h"

#include <gmock/gmock.h>

namespace parcast::store {
namespace {

using testing::IsEmpty;

Entry prediction(double seconds, const std::string& stored_at, const std::string& machine = "here") {
  Entry out;
  out.kind = Kind::prediction, out.program = "wave", out.machine = machine;
  out.parameters = {{"N", 256}}, out.processes = 4;
  out.seconds = seconds, out.low = 0.9 * seconds, out.high = 1.1 * seconds, out.level = 0.9;
  out.stored_at = stored_at;
  return out;
}

Entry measurement(double seconds, const std::string& began_at, const std::string& machine = "here") {
  Entry out;
  out.kind = Kind::measurement, out.program = "wave", out.machine = machine;
  out.parameters = {{"N", 256}, {"seed", 3}}, out.processes = 4;
  out.seconds = seconds, out.began = out.began_at = began_at;
  return out;
}

bool on_any(const Entry&, const Entry&) {
  return true;
}

TEST(PairedRunsOf, TheLastPredictionBeforeTheEarliestRunCounts) {
  const std::vector<Entry> predictions{prediction(8, "2026-01-01"), prediction(10, "2026-01-03"),
                                       prediction(12, "2026-01-06")};
  const PairedRuns paired =
      paired_runs(predictions, {measurement(13, "2026-01-07"), measurement(9.5, "2026-01-04")}, on_any);
  ASSERT_EQ(paired.points.size(), 1u);
  const PairedPoint& found = paired.points[0];
  EXPECT_EQ(found.point.predicted, 10);
  EXPECT_EQ(found.point.measured, 11.25);  // the median of both
  EXPECT_EQ(found.point.runs, 2);
  EXPECT_FALSE(found.point.hit);  // 9 .. 11
  EXPECT_DOUBLE_EQ(found.point.error, 10 / 11.25 - 1);
  EXPECT_TRUE(found.was_before);
}

TEST(PairedRunsOf, APredictionStoredLaterIsNamedSo) {
  const PairedRuns paired =
      paired_runs({prediction(8, "2026-02-01")}, {measurement(8.5, "2026-01-04")}, on_any);
  ASSERT_EQ(paired.points.size(), 1u);
  EXPECT_FALSE(paired.points[0].was_before);
  EXPECT_TRUE(paired.points[0].point.hit);
}

TEST(PairedRunsOf, ARunElsewhereHasNoPrediction) {
  const PairedRuns other_machine =
      paired_runs({prediction(8, "2026-02-01")}, {measurement(8.5, "2026-01-04", "cluster")}, on_any);
  EXPECT_THAT(other_machine.points, IsEmpty());
  EXPECT_EQ(other_machine.unanswered.size(), 1u);
  Entry other_size = measurement(8.5, "2026-01-04");
  other_size.parameters["N"] = 257;
  EXPECT_THAT(paired_runs({prediction(8, "2026-02-01")}, {other_size}, on_any).points, IsEmpty());
}

TEST(PairedRunsOf, TheCallerDecidesOnWhichMachineARecordingWasMade) {
  Entry recording = measurement(8.5, "2026-01-04", "Xeon, 8 cores");
  recording.kind = Kind::recording;
  const auto never = [](const Entry&, const Entry&) { return false; };
  EXPECT_THAT(paired_runs({prediction(8, "2026-01-01")}, {recording}, never).points, IsEmpty());
  const PairedRuns paired = paired_runs({prediction(8, "2026-01-01")}, {recording}, on_any);
  ASSERT_EQ(paired.points.size(), 1u);
  EXPECT_TRUE(paired.points[0].is_recorded);
}

}  // namespace
}  // namespace parcast::store
