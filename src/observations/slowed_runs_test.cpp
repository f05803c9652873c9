// SPDX-License-Identifier: Apache-2.0
// Finds the slowed runs among several, by hand.
#include "observations/slowed_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::program {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns three sizes by three process counts; run 3 n + p has size n and p + 1 processes.
std::vector<std::vector<double>> nine_points() {
  std::vector<std::vector<double>> out;
  for (int n = 0; n < 3; ++n)
    for (int p = 0; p < 3; ++p) out.push_back({100. * (n + 1), p + 1.});
  return out;
}

/// Returns two segments that deviate by one percent in every run, with alternating sign; `more` is added to a
/// run in both.
std::vector<FittedSegment> segments_with(const std::vector<double>& more) {
  std::vector<FittedSegment> out(2);
  for (FittedSegment& segment : out)
    for (std::size_t run = 0; run < more.size(); ++run)
      segment.deviations.push_back({run, (run % 2 ? 0.01 : -0.01) + more[run], 1});
  return out;
}

TEST(SlowedRuns, OneThatTakesHalfAsMuchAgainIsFound) {
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, .5, 0, 0, 0, 0}), nine_points()), ElementsAre(4));
}

TEST(SlowedRuns, AFastOneIsNoneNorIsOneWithinTheSpread) {
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, -.5, 0, 0, 0, 0}), nine_points()), IsEmpty());
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, .1, 0, 0, 0, 0}), nine_points()), IsEmpty());
}

// Two cores can share their units: then a process computes faster next to a short loop than next to its
// equal.
TEST(SlowedRuns, AFastOneThatWasSurelyDisturbedIsFound) {
  std::vector<bool> disturbed(9);
  disturbed[4] = true;
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, -.3, 0, 0, 0, 0}), nine_points(), disturbed),
              ElementsAre(4));
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, -.1, 0, 0, 0, 0}), nine_points(), disturbed), IsEmpty());
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, -.3, 0, 0, 0, 0, 0}), nine_points(), disturbed), IsEmpty());
}

// All runs of the largest size exceed the prediction: a law was not found, such as data that no longer fit a
// cache.
TEST(SlowedRuns, ASizeThatAllItsRunsShareIsNoDisturbance) {
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, 0, 0, .4, .5, .4}), nine_points()), IsEmpty());
}

TEST(SlowedRuns, ARunAloneAtItsSizeIsNotAccused) {
  std::vector<std::vector<double>> points = nine_points();
  points[4][0] = 150;
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, .5, 0, 0, 0, 0}), points), IsEmpty());
}

TEST(SlowedRuns, OneInEightAtMost) {
  EXPECT_THAT(slowed_runs(segments_with({.3, 0, 0, 0, .5, 0, 0, 0, 0}), nine_points()), ElementsAre(4));
}

TEST(SlowedRuns, SevenRunsShowNothing) {
  std::vector<std::vector<double>> points = nine_points();
  points.resize(7);
  EXPECT_THAT(slowed_runs(segments_with({0, 0, 0, 0, .5, 0, 0}), points), IsEmpty());
}

TEST(SlowedRuns, CountRunsWithMoreProcessesThanCores) {
  std::vector<FittedSegment> segments = segments_with({0, 0, 0, 0, .5, 0, 0, 0, 0});
  for (FittedSegment& segment : segments) {
    segment.crowded.assign(segment.deviations.begin() + 3, segment.deviations.end());
    segment.deviations.resize(3);
  }
  EXPECT_THAT(slowed_runs(segments, nine_points()), ElementsAre(4));
}

}  // namespace
}  // namespace parcast::program
