// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/path_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace parcast::simulate {
namespace {

using Chain = PathTree::Chain;

TEST(PathTree, ThoseWhoShareAChainDoNotSeeWhatIsAddedToTheOther) {
  PathTree tree;
  Chain one = PathTree::kStart;
  tree.add(one, 7, 100);
  Chain other = tree.share(one);
  tree.add(one, 7, 20);
  tree.add(other, 8, 3, 2);
  ASSERT_EQ(tree.sums(one).size(), 1u);
  EXPECT_EQ(tree.sums(one)[0].time, 120);
  EXPECT_EQ(tree.sums(one)[0].count, 2u);
  ASSERT_EQ(tree.sums(other).size(), 2u);
  EXPECT_EQ(tree.sums(other)[0].time, 100);
  EXPECT_EQ(tree.sums(other)[1].count, 2u);
  tree.drop(one);
  tree.drop(other);
  EXPECT_EQ(tree.nodes(), 0u);
}

/// Many chains are extended, shared and dropped at random, each compared with a separate list that shares
/// nothing.
TEST(PathTree, SumsStayWhatTheyAreHoweverManyNodesAreMerged) {
  constexpr std::size_t kChains = 500;
  struct Kept {
    Chain chain = PathTree::kStart;
    std::map<std::uint64_t, std::pair<trace::Time, std::uint64_t>> sums;
  };
  std::vector<Kept> kept(kChains);
  PathTree tree;
  std::mt19937_64 random(1);
  std::size_t most = 0;
  for (int step = 0; step < 1'000'000; ++step) {
    Kept& to = kept[random() % kChains];
    if (random() % 3 == 0) {
      const Kept& from = kept[random() % kChains];
      const Chain shared = tree.share(from.chain);
      tree.drop(to.chain);
      to = {shared, from.sums};
    }
    const std::uint64_t key = random() % 12;
    const auto time = static_cast<trace::Time>(random() % 1000);
    tree.add(to.chain, key, time);
    to.sums[key].first += time;
    ++to.sums[key].second;
    most = std::max(most, tree.nodes());
  }
  for (const Kept& each : kept) {
    const auto sums = tree.sums(each.chain);
    ASSERT_EQ(sums.size(), each.sums.size());
    auto expected = each.sums.begin();
    for (const PathTree::Sum& sum : sums) {
      EXPECT_EQ(sum.key, expected->first);
      EXPECT_EQ(sum.time, expected->second.first);
      EXPECT_EQ(sum.count, (expected++)->second.second);
    }
  }
  EXPECT_LE(most, PathTree::kAtLeast);
  for (Kept& each : kept) tree.drop(each.chain);
  EXPECT_EQ(tree.nodes(), 0u);
}

TEST(PathTree, AStretchWithoutBranchesIsOneNodeInTheEnd) {
  PathTree tree;
  Chain trunk = PathTree::kStart;
  std::size_t most = 0;
  for (int step = 0; step < 300'000; ++step) {
    const Chain loser = tree.share(trunk);
    tree.add(trunk, 1, 1);
    tree.drop(loser);
    most = std::max(most, tree.nodes());
  }
  EXPECT_LE(most, PathTree::kAtLeast);
  ASSERT_EQ(tree.sums(trunk).size(), 1u);
  EXPECT_EQ(tree.sums(trunk)[0].time, 300'000);
}

}  // namespace
}  // namespace parcast::simulate
