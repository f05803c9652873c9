// SPDX-License-Identifier: Apache-2.0
#include "source/facts/counting_plan.h"

#include <gmock/gmock.h>

#include <random>

namespace parcast::facts {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

int counters(const std::vector<bool>& counted) {
  return static_cast<int>(std::count(counted.begin(), counted.end(), true));
}

TEST(CountingPlan, OneOfTwoBranchesIsEnough) {
  // outside 0 -> a -> {b, c} -> d -> outside; where nothing leaves, a block's entry and end are one point
  const std::vector<Arc> arcs{{0, 1, 10}, {1, 2, 1}, {1, 3, 5}, {2, 4, 5}, {3, 4, 5}, {4, 0, 10}};
  const std::vector<bool> counted = arcs_to_count(5, arcs);
  EXPECT_EQ(counters(counted), 2);  // arcs - points + 1
  EXPECT_TRUE(counted[1]);          // the cheapest branch arc
}

TEST(CountingPlan, TheDearestArcsAreNotCounted) {
  // a loop: outside -> head; head -> head (expensive); head -> outside
  const std::vector<Arc> arcs{{0, 1, 1}, {1, 1, 100}, {1, 0, 1}};
  // a self-loop is in no tree, so it must be counted at any cost
  EXPECT_THAT(arcs_to_count(2, arcs), ElementsAre(false, true, true));
  // as a block from entry to end with a back edge, the more expensive arc is not counted
  const std::vector<Arc> split{{0, 1, 1}, {1, 2, 100}, {2, 1, 90}, {2, 0, 1}};
  EXPECT_THAT(arcs_to_count(3, split), ElementsAre(false, false, true, true));
}

TEST(CountingPlan, WhatCannotBeCountedJoinsItsEnds) {
  // control may leave block 1 -> 2 in its middle (2 -> 0 uncountable): entry and resumption are counted
  // separately
  const std::vector<Arc> arcs{{0, 1, 1}, {1, 2, 1}, {2, 0, 0, false}, {2, 3, 1}, {3, 0, 1}};
  const std::vector<bool> counted = arcs_to_count(4, arcs);
  EXPECT_FALSE(counted[2]);
  EXPECT_EQ(counters(counted), 2);
  std::vector<std::optional<std::uint64_t>> known(arcs.size());
  const std::vector<std::uint64_t> truth{7, 7, 2, 5, 5};  // control left two of seven times in the middle
  for (std::size_t i = 0; i < arcs.size(); ++i)
    if (counted[i]) known[i] = truth[i];
  const auto flows = all_flows(4, arcs, known);
  for (const std::size_t i : {0, 1, 3, 4}) EXPECT_EQ(flows[i], truth[i]) << i;
  EXPECT_EQ(flows[2], std::nullopt);
}

// Random walks over random graphs: the counted arcs give the brute-force count of every arc.
TEST(CountingPlan, FlowsOfRandomWalksFollowFromTheCountedArcs) {
  std::mt19937 random(20261123);
  for (int round = 0; round < 2000; ++round) {
    const Point points = 2 + static_cast<Point>(random() % 12);
    std::vector<Arc> arcs;
    for (Point point = 0; point < points; ++point) {
      const int out = 1 + static_cast<int>(random() % 3);
      for (int k = 0; k < out; ++k)
        arcs.push_back({point, static_cast<Point>(random() % points), static_cast<double>(random() % 5),
                        random() % 8 != 0});
    }
    std::vector<std::uint64_t> truth(arcs.size(), 0);
    for (int walk = 0; walk < 5; ++walk) {
      Point at = 0;
      for (int step = 0; step < 200; ++step) {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < arcs.size(); ++i)
          if (arcs[i].from == at) out.push_back(i);
        const std::size_t taken = out[random() % out.size()];
        ++truth[taken];
        at = arcs[taken].to;
        if (at == 0 && step > 100) break;
      }
      if (at != 0) {  // closed by one more arc back
        arcs.push_back({at, 0, 1.0, true});
        truth.push_back(1);
      }
    }
    const std::vector<bool> counted = arcs_to_count(points, arcs);
    std::vector<std::optional<std::uint64_t>> known(arcs.size());
    for (std::size_t i = 0; i < arcs.size(); ++i)
      if (counted[i]) known[i] = truth[i];
    const auto flows = all_flows(points, arcs, known);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if (arcs[i].countable)
        ASSERT_EQ(flows[i], truth[i]) << "round " << round << ", arc " << i;
      else
        ASSERT_EQ(flows[i], std::nullopt);
    }
  }
}

}  // namespace
}  // namespace parcast::facts
