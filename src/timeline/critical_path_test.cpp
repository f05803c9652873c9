// SPDX-License-Identifier: Apache-2.0
#include "timeline/critical_path.h"

#include <gtest/gtest.h>

namespace parcast::timeline {
namespace {

TEST(CriticalPath, OfALaneThatWaitedForNobodyIsThatLane) {
  EXPECT_EQ(critical_path({{}, {}}, {50, 80}), (std::vector<Step>{{1, 0, 80}}));
  EXPECT_TRUE(critical_path({}, {}).empty());
}

// Lane 1 gets a message that lane 0 sent at 30 and that is there at 40; lane 0 waited for lane 2 until 20.
TEST(CriticalPath, GoesOnWhereAWaitWasCaused) {
  const std::vector<std::vector<Wait>> waits{{{20, {2, 20, false}}}, {{40, {0, 30, true}}}, {}};
  EXPECT_EQ(critical_path(waits, {35, 90, 25}),
            (std::vector<Step>{{2, 0, 20}, {0, 20, 30}, {0, 30, 40, true}, {1, 40, 90}}));
}

TEST(CriticalPath, PassesWaitsThatEndedLater) {
  // The wait of lane 0 until 60 does not matter for what it did at 30.
  const std::vector<std::vector<Wait>> waits{{{60, {1, 60, false}}}, {{40, {0, 30, true}}}};
  EXPECT_EQ(critical_path(waits, {70, 90}), (std::vector<Step>{{0, 0, 30}, {0, 30, 40, true}, {1, 40, 90}}));
}

// Two lanes that seem to wait for each other at the same time, as clocks may have it.
TEST(CriticalPath, EndsWhenCausesGoRoundInACircle) {
  const std::vector<std::vector<Wait>> waits{{{20, {1, 20, false}}}, {{20, {0, 20, false}}}};
  EXPECT_EQ(critical_path(waits, {30, 25}), (std::vector<Step>{{0, 0, 20}, {0, 20, 30}}));
}

TEST(PathParts, AreWhatTheLanesDidOnThePath) {
  Timeline timeline;
  timeline.lanes = {{0, 0, "", {{0, 25, Activity::computing, 0, 1}, {25, 32, Activity::collective, 2, 0}}},
                    {1, 0, "", {{0, 35, Activity::waiting}, {40, 90, Activity::computing, 0, 1}}}};
  timeline.path = {{0, 0, 30}, {0, 30, 40, true}, {1, 40, 90}};
  const std::vector<PathPart> parts = path_parts(timeline);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].time, 75);  // computing in region 1 of both lanes
  EXPECT_TRUE(parts[1].is_message);
  EXPECT_EQ(parts[1].time, 10);
  EXPECT_EQ(parts[2].name, 2u);
  EXPECT_EQ(parts[2].time, 5);
}

}  // namespace
}  // namespace parcast::timeline
