// SPDX-License-Identifier: Apache-2.0
#include "timeline/lane.h"

#include <gtest/gtest.h>

#include "timeline/overview.h"

namespace parcast::timeline {
namespace {

Span span(Time begin, Time end, Activity activity, std::uint32_t name = 0) {
  return {begin, end, activity, name, 0, 1};
}

TEST(Summed, ShortNeighboursOfACellBecomeOneSpanPerActivity) {
  const std::vector<Span> spans{span(0, 10, Activity::computing), span(10, 15, Activity::waiting, 1),
                                span(15, 40, Activity::computing), span(40, 43, Activity::waiting, 2),
                                span(100, 350, Activity::point_to_point)};  // longer than a cell
  const std::vector<Span> out = summed(spans, 100);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0], (Span{0, 35, Activity::computing, 0, 0, 2}));
  EXPECT_EQ(out[1], (Span{35, 43, Activity::waiting, 0, 0, 2}));  // of two calls: no name
  EXPECT_EQ(out[2], spans[4]);
}

TEST(Summed, SpansOfDifferentCellsStayApart) {
  const std::vector<Span> spans{span(80, 90, Activity::computing), span(110, 120, Activity::computing),
                                span(190, 210, Activity::computing)};  // over the border of two cells
  EXPECT_EQ(summed(spans, 100), spans);
}

TEST(LaneWriter, KeepsTheTimeOfEachActivityInFewerSpans) {
  constexpr std::size_t kMost = 1000;
  constexpr std::uint64_t kSpans = 100'000;
  Timeline timeline;
  LaneWriter writer(timeline, kMost);
  writer.add_lane({});
  Time at = 0, waited = 0;
  for (std::uint64_t i = 0; i < kSpans; ++i) {
    const Time length = i % 1000 == 500 ? 5'000'000 : static_cast<Time>(10 + i % 7 * 100);
    const Activity activity = i % 2 ? Activity::computing : Activity::waiting;
    waited += activity == Activity::waiting ? length : 0;
    timeline.length = at + length;
    writer.add(0, span(at, at + length, activity));
    at += length;
  }
  writer.finish();
  EXPECT_LE(timeline.lanes[0].spans.size(), kMost);
  EXPECT_EQ(timeline.spans, kSpans);
  EXPECT_GT(timeline.resolution, 0);
  EXPECT_EQ(sums_of(timeline)[static_cast<std::size_t>(Activity::waiting)], waited);
  Time before = 0;
  std::uint64_t pieces = 0, long_ones = 0;
  for (const Span& each : timeline.lanes[0].spans) {
    EXPECT_GE(each.begin, before);
    before = each.end, pieces += each.pieces, long_ones += each.end - each.begin == 5'000'000;
  }
  EXPECT_EQ(pieces, kSpans);
  EXPECT_EQ(long_ones, 100u);
}

TEST(LaneWriter, KeepsEverySpanOfAShortRun) {
  Timeline timeline;
  LaneWriter writer(timeline, 10);
  writer.add_lane({});
  timeline.length = 3;
  writer.add(0, span(0, 1, Activity::computing));
  writer.add(0, span(1, 1, Activity::waiting));  // empty
  writer.add(0, span(1, 3, Activity::computing));
  writer.finish();
  EXPECT_EQ(timeline.resolution, 0);
  EXPECT_EQ(timeline.lanes[0].spans.size(), 2u);
}

TEST(Overview, DividesASpanAmongTheColumnsThatItCovers) {
  Timeline timeline;
  timeline.length = 100;
  timeline.lanes = {{0, 0, "", {span(5, 25, Activity::computing)}},
                    {1, 0, "", {span(0, 100, Activity::waiting)}},
                    {2, 0, "", {}}};
  const Overview of_lanes = overview(timeline, 100, 10, 3);
  ASSERT_EQ(of_lanes.rows.size(), 3u);
  const auto computing = static_cast<std::size_t>(Activity::computing);
  EXPECT_EQ(of_lanes.rows[0][0][computing], 5);
  EXPECT_EQ(of_lanes.rows[0][1][computing], 10);
  EXPECT_EQ(of_lanes.rows[0][2][computing], 5);
  EXPECT_EQ(of_lanes.rows[0][3][computing], 0);
  const Overview of_pairs = overview(timeline, 100, 10, 2);
  ASSERT_EQ(of_pairs.rows.size(), 2u);
  EXPECT_EQ(of_pairs.lanes_per_row, 2u);
  EXPECT_EQ(of_pairs.rows[0][0][static_cast<std::size_t>(Activity::waiting)], 10);
}

}  // namespace
}  // namespace parcast::timeline
