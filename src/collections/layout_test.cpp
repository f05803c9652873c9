// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "parcast/collections/placement.h"

namespace parcast::collections {
namespace {

std::vector<int> owners(std::int64_t extent, Distribution distribution, int parts) {
  const Layout layout(extent, distribution, parts);
  std::vector<int> out;
  for (std::int64_t i = 0; i < extent; ++i) out.push_back(layout.owner(i));
  return out;
}

TEST(Index, OfOneDimensionIsANumber) {
  const Index1 i = 3;
  EXPECT_TRUE(i == 3 && 3 == i && i != 4 && i == std::int64_t{3} && i == 3u);
  EXPECT_TRUE(i > 2 && i == Index1(3));
}

TEST(Layout, OwnersAreThoseOfHighPerformanceFortran) {
  EXPECT_EQ(owners(8, Block, 3), (std::vector{0, 0, 0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(owners(8, Cyclic, 3), (std::vector{0, 1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(owners(8, BlockCyclic(2), 3), (std::vector{0, 0, 1, 1, 2, 2, 0, 0}));
  EXPECT_EQ(owners(8, Whole, 1), (std::vector{0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(owners(2, Block, 5), (std::vector{0, 1}));
}

TEST(Layout, LocalPlacesAreDenseAndLeadBackForEveryDistribution) {
  for (const Distribution distribution : {Block, Cyclic, BlockCyclic(2), BlockCyclic(7)})
    for (int parts = 1; parts <= 7; ++parts)
      for (const std::int64_t extent : {0, 1, 2, 5, 13, 14, 64}) {
        const Layout layout(extent, distribution, parts);
        std::map<int, std::int64_t> next;
        for (std::int64_t i = 0; i < extent; ++i) {
          EXPECT_EQ(layout.local(i), next[layout.owner(i)]++);
          EXPECT_EQ(layout.global(layout.owner(i), layout.local(i)), i);
        }
        for (int part = 0; part < parts; ++part) EXPECT_EQ(layout.count(part), next[part]);
      }
}

TEST(Layout, RefusesWhatCannotBe) {
  EXPECT_THROW(Layout(-1, Block, 1), Error);
  EXPECT_THROW(Layout(4, BlockCyclic(0), 2), Error);
  EXPECT_THROW(Layout(4, Whole, 2), Error);
  EXPECT_THROW(Layout(4, Block, 0), Error);
}

TEST(ProcessorSides, AreNearestToTheRootOrEqual) {
  const auto sides = [](int p, std::vector<Distribution> distributions, Shape shape) {
    return processor_sides(p, distributions, shape);
  };
  EXPECT_EQ(sides(12, {Block, Block}, Shape::nearest), (std::vector{3, 4}));
  EXPECT_EQ(sides(16, {Block, Cyclic}, Shape::nearest), (std::vector{4, 4}));
  EXPECT_EQ(sides(7, {Block, Block}, Shape::nearest), (std::vector{1, 7}));
  EXPECT_EQ(sides(7, {Block, Whole}, Shape::nearest), (std::vector{7, 1}));
  EXPECT_EQ(sides(7, {Whole, Whole}, Shape::nearest), (std::vector{1, 1}));
  EXPECT_EQ(sides(24, {Block, Block, Block}, Shape::nearest), (std::vector{2, 3, 4}));
  EXPECT_EQ(sides(8, {Block, Block}, Shape::square), (std::vector{2, 2}));
  EXPECT_EQ(sides(32, {Block, Block}, Shape::square), (std::vector{5, 5}));
  EXPECT_EQ(sides(32, {Block, Whole}, Shape::square), (std::vector{32, 1}));
}

TEST(Placement, VisitsEveryElementOnceAtItsOwnersOffset) {
  for (const Distribution rows : {Block, Cyclic, BlockCyclic(3)})
    for (const Distribution columns : {Block, Cyclic, BlockCyclic(2)}) {
      const Placement<2> placement(Index2(7, 11), {rows, columns}, std::vector{2, 3});
      std::map<std::pair<int, std::int64_t>, int> visits;
      for (int rank = 0; rank < 8; ++rank) {
        std::int64_t next = 0;
        placement.each(rank, [&](const Index2& at, std::int64_t offset) {
          EXPECT_EQ(offset, next++);
          EXPECT_EQ(placement.owner(at), rank);
          EXPECT_EQ(placement.offset(at), offset);
          EXPECT_EQ(placement.index(rank, offset), at);
        });
        EXPECT_EQ(next, volume(placement.counts(rank)));
        if (rank >= 6) EXPECT_EQ(next, 0);
      }
    }
}

}  // namespace
}  // namespace parcast::collections
