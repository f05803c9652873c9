// SPDX-License-Identifier: Apache-2.0
#include "patterns/classify.h"

#include <gtest/gtest.h>

#include "patterns/segments.h"
#include "trace/builder.h"

namespace parcast::program {
namespace {

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Each pair has one message of 8 bytes, sent before any message is received.
Traffic traffic(std::int32_t ranks, const Edges& edges) {
  std::vector<Pair> pairs;
  for (const auto& [from, to] : edges)
    pairs.push_back({from, to, 1, 8, static_cast<std::uint32_t>(pairs.size()), 0});
  return Traffic(ranks, pairs);
}

/// The same, but every rank sends after it has received all its messages in this segment.
Traffic passed_on(std::int32_t ranks, const Edges& edges) {
  const Traffic before = traffic(ranks, edges);
  std::vector<Pair> pairs = before.pairs();
  for (Pair& pair : pairs) pair.heard = static_cast<std::uint32_t>(before.senders_to(pair.from));
  return Traffic(ranks, pairs);
}

std::string said(const Traffic& of) {
  const Classified found = classify(of);
  return std::string(name_of(found.pattern)) + " | " + found.form + " | " + std::to_string(found.groups) +
         " | " + found.table;
}

TEST(Classify, NoMessagesAndThoseToOneselfAreNone) {
  EXPECT_EQ(classify(traffic(4, {})).pattern, MessagePattern::none);
  EXPECT_EQ(classify(traffic(1, {{0, 0}})).pattern, MessagePattern::none);
}

TEST(Classify, TwoRanksAreAnExchangeOrAShift) {
  EXPECT_EQ(said(traffic(2, {{0, 1}, {1, 0}})), "exchange | with r xor 1 | 1 | exchange");
  EXPECT_EQ(said(traffic(2, {{0, 1}})), "shift | by 1 | 1 | shift");
  EXPECT_EQ(said(traffic(2, {{1, 0}})), "shift | by -1 | 1 | shift");
}

TEST(Classify, AChainPassesOnWhatAShiftDoesNot) {
  const Edges line{{0, 1}, {1, 2}, {2, 3}}, down{{3, 2}, {2, 1}, {1, 0}};
  EXPECT_EQ(said(traffic(4, line)), "shift | by 1 | 1 | shift");
  EXPECT_EQ(said(passed_on(4, line)), "broadcast | chain from 0 | 1 | broadcast");
  EXPECT_EQ(said(passed_on(4, down)), "combine | chain to 0 | 1 | reduce");
}

TEST(Classify, ATreeIsOneOnlyWhereRanksSendWhenTheyHaveHeard) {
  const Edges down{{0, 1}, {0, 2}, {2, 3}}, up{{1, 0}, {3, 2}, {2, 0}};
  EXPECT_EQ(said(passed_on(4, down)), "broadcast | binomial tree from 0 | 1 | broadcast");
  EXPECT_EQ(classify(traffic(4, down)).pattern, MessagePattern::irregular);
  EXPECT_EQ(said(passed_on(4, up)), "combine | binomial tree to 0 | 1 | reduce");
  EXPECT_EQ(classify(traffic(4, up)).pattern, MessagePattern::irregular);
}

TEST(Classify, DoublingOnFourIsAHaloWhereAllIsSentAtOnceOrTheFarPartnerFirst) {
  // r xor 1 and r xor 2; `heard` is that of the second message.
  const auto square = [](std::int32_t first, std::uint32_t heard) {
    std::vector<Pair> pairs;
    for (std::int32_t r = 0; r < 4; ++r)
      pairs.insert(pairs.end(), {{r, r ^ first, 1, 8, 0, 0}, {r, r ^ (3 - first), 1, 8, 1, heard}});
    return Traffic(4, pairs);
  };
  EXPECT_EQ(said(square(1, 1)), "combine | recursive doubling | 1 | allreduce");
  EXPECT_EQ(said(square(1, 0)), "halo | 2 x 2 | 1 | halo2d");
  EXPECT_EQ(said(square(2, 1)), "halo | 2 x 2 | 1 | halo2d");
}

TEST(Classify, RowsAndColumnsAreGroups) {
  // 2 x 3, a ring in each row: 0 1 2 and 3 4 5.
  EXPECT_EQ(said(traffic(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}})),
            "shift | by 1, periodic | 2 | shift");
  // 4 x 2: the first rank of each column reaches the others in it.
  EXPECT_EQ(said(traffic(8, {{0, 2}, {0, 4}, {0, 6}, {1, 3}, {1, 5}, {1, 7}})),
            "broadcast | star from 0 | 2 | broadcast");
}

TEST(Classify, HalosOfThreeRanksAndOfTwoByTwo) {
  EXPECT_EQ(said(traffic(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}})), "halo | line of 3 | 1 | shift");
  EXPECT_EQ(said(traffic(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0}})),
            "halo | line of 3, periodic | 1 | shift");
  EXPECT_EQ(said(traffic(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}, {0, 2}, {2, 0}, {1, 3}, {3, 1}})),
            "halo | 2 x 2 | 1 | halo2d");
}

TEST(Classify, PartsDownAStarAreAScatter) {
  EXPECT_EQ(said(Traffic(3, {{0, 1, 1, 8, 0, 0}, {0, 2, 1, 16, 1, 0}})),
            "broadcast | star from 0 | 1 | scatter");
}

TEST(Classify, OneMessageMoreIsIrregularAndSaysWhatItIsNearestTo) {
  Edges ring;
  for (std::int32_t r = 0; r < 10; ++r) ring.emplace_back(r, (r + 1) % 10);
  EXPECT_EQ(classify(traffic(10, ring)).explained, 1);
  ring.emplace_back(3, 7);
  const Classified found = classify(traffic(10, ring));
  EXPECT_EQ(found.pattern, MessagePattern::irregular);
  EXPECT_EQ(found.nearest, MessagePattern::shift);
  EXPECT_DOUBLE_EQ(found.explained, 10.0 / 11);
}

TEST(Classify, TheHostMayStayOut) {
  EXPECT_EQ(said(traffic(5, {{1, 2}, {2, 3}, {3, 4}, {4, 1}})), "shift | by 1, periodic | 1 | shift");
  EXPECT_EQ(classify(traffic(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}})).pattern, MessagePattern::irregular);
}

TEST(Classify, EveryCollectiveHasItsTable) {
  for (int i = 1; i <= static_cast<int>(recording::Pattern::neighbourhood); ++i)
    EXPECT_FALSE(classify(static_cast<recording::Pattern>(i)).table.empty()) << i;
}

/// Two consecutive patterns in a region, each with its own call: two segments.
TEST(Segments, ARegionOfTwoPatternsIsDividedByItsCalls) {
  constexpr std::int32_t kRanks = 5;
  trace::Builder builder("two", kRanks);
  const auto first = builder.place({"main", "f", "f.c", 1, "MPI_Send"}),
             second = builder.place({"main", "f", "f.c", 2, "MPI_Send"});
  for (std::int32_t r = 0; r < kRanks; ++r) {
    trace::RankBuilder rank(builder, r);
    for (std::int32_t other = 1; r == 0 && other < kRanks; ++other)
      rank.add({.kind = trace::Kind::send, .peer = other, .bytes = 8, .place = first});
    if (r > 0) rank.add({.kind = trace::Kind::receive, .peer = -r, .place = first});
    rank.add({.kind = trace::Kind::send, .peer = (r + 1) % kRanks - r, .bytes = 80, .place = second});
    rank.add({.kind = trace::Kind::receive, .peer = (r + kRanks - 1) % kRanks - r, .place = second});
    ASSERT_TRUE(rank.finish());
  }
  const auto segments = message_segments(builder.finish());
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].found.form, "star from 0");
  EXPECT_EQ(segments[0].messages, 4u);
  EXPECT_EQ(segments[1].found.form, "by 1, periodic");
  EXPECT_EQ(segments[1].calls, "MPI_Send f.c:2");
  EXPECT_DOUBLE_EQ(segments[1].bytes, 400);
}

}  // namespace
}  // namespace parcast::program
