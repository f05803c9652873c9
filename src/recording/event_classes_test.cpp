// SPDX-License-Identifier: Apache-2.0
#include "recording/event_classes.h"

#include <gtest/gtest.h>

namespace parcast::recording {
namespace {

Event event(std::uint16_t call, std::uint32_t region, std::int64_t enter, std::int64_t exit,
            std::int64_t compute) {
  Event made;
  made.call = call;
  made.region = region;
  made.enter = enter;
  made.exit = exit;
  made.compute = compute;
  return made;
}

/// Calls: 0 MPI_Send, 1 a region's begin, 2 its end.
Recording one_rank(std::vector<Event> events, std::int64_t wall) {
  Recording recording;
  recording.processes = 1;
  recording.calls = {{"MPI_Send", CallClass::send, Pattern::none},
                     {"begin", CallClass::region_begin, Pattern::none},
                     {"end", CallClass::region_end, Pattern::none}};
  RankRecording rank;
  rank.regions = {"", "main"};
  rank.events = std::move(events);
  rank.wall = wall;
  recording.ranks.push_back(std::move(rank));
  return recording;
}

TEST(EventClasses, ComputingBelongsToTheCallBehindItWhateverMarksStandBetween) {
  // 10 computed, a mark, 5 computed, a send of 7 in main; after it a mark, and 8 until the end.
  const Recording marked =
      one_rank({event(1, 1, 10, 10, 10), event(0, 1, 15, 22, 5), event(2, 1, 25, 25, 3)}, 30);
  const Recording plain = one_rank({event(0, 1, 15, 22, 15)}, 30);
  for (const Recording& recording : {marked, plain}) {
    const auto classes = event_classes(recording);
    ASSERT_EQ(classes.size(), 2u);
    EXPECT_EQ(classes[0].call, "");
    EXPECT_EQ(classes[0].region, "main");
    EXPECT_DOUBLE_EQ(classes[0].seconds, 23e-9);
    EXPECT_EQ(classes[1].call, "MPI_Send");
    EXPECT_EQ(classes[1].count, 1u);
    EXPECT_DOUBLE_EQ(classes[1].seconds, 7e-9);
  }
  EXPECT_DOUBLE_EQ(longest_wall(plain), 30e-9);
}

TEST(EventClasses, ARunLastsFromTheReturnOfMpiInitToTheEntryOfMpiFinalize) {
  Recording recording =
      one_rank({event(3, 0, -100, 0, 40), event(0, 1, 15, 22, 15), event(4, 0, 30, 90, 8)}, 30);
  recording.calls.push_back({"MPI_Init", CallClass::initialise, Pattern::none});
  recording.calls.push_back({"MPI_Finalize", CallClass::finalise, Pattern::none});
  const auto classes = event_classes(recording);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_DOUBLE_EQ(classes[0].seconds, 23e-9);
  EXPECT_EQ(classes[0].region, "main");
  EXPECT_DOUBLE_EQ(classes[1].seconds, 7e-9);
}

TEST(EventClasses, PairsHoldWhatOnlyOneOfTheTwoHas) {
  const Recording with = one_rank({event(0, 1, 0, 7, 0), event(0, 1, 7, 9, 0)}, 9), without = one_rank({}, 4);
  const auto pairs = pair_classes(without, with);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].call, "MPI_Send");
  EXPECT_EQ(pairs[0].a.count, 0u);
  EXPECT_EQ(pairs[0].b.count, 2u);
  EXPECT_DOUBLE_EQ(pairs[0].b.seconds, 9e-9);
  EXPECT_EQ(pairs[1].call, "");
  EXPECT_DOUBLE_EQ(pairs[1].a.seconds, 4e-9);
}

TEST(EventClasses, FurtherRequestsOfACallAreNoCalls) {
  Event first = event(0, 0, 2, 6, 2), second = event(0, 0, 2, 6, 2);
  second.continued = true;
  first.repeats = 3;
  const auto classes = event_classes(one_rank({first, second}, 6));
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[1].count, 3u);
  EXPECT_DOUBLE_EQ(classes[1].seconds, 4e-9);
  EXPECT_DOUBLE_EQ(classes[0].seconds, 2e-9);
}

}  // namespace
}  // namespace parcast::recording
