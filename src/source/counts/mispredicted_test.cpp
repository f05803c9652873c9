// SPDX-License-Identifier: Apache-2.0
#include "source/counts/mispredicted.h"

#include <gtest/gtest.h>

namespace parcast::program {
namespace {

// for (...) if (x) work; : block 0 is the entry, 1 the loop's head with the test, 2 the work, 3 the loop's
// end, and 4 follows the loop.
facts::Function asking() {
  facts::Function f;
  f.blocks.resize(5);
  for (const int b : {1, 2, 3}) f.blocks[static_cast<std::size_t>(b)].loop = 0;
  f.loops = {{.head = 1}};
  const auto arc = [&](facts::Point from, facts::Point to) { f.arcs.push_back({from, to}); };
  for (int b = 0; b < 5; ++b) arc(1 + 2 * b, 2 + 2 * b);
  const auto edge = [&](int a, int b) { arc(2 + 2 * a, 1 + 2 * b); };
  arc(0, 1), edge(0, 1), edge(1, 2), edge(1, 3), edge(2, 3), edge(3, 1), edge(3, 4), arc(10, 0);
  return f;
}

// Arcs of blocks first, then those of asking(): 1 entry and 100 rounds; x held in `held` of the rounds.
Flows flows_of(std::uint64_t held) {
  return {1, 100, held, 100, 1, 1, 1, held, 100 - held, held, 99, 1, 1};
}

TEST(Unforeseen, IsThePartThatGoesTheRarerWay) {
  EXPECT_NEAR(mispredicted_part(asking(), 1, {flows_of(30)}), 0.3, 1e-15);
  EXPECT_NEAR(mispredicted_part(asking(), 1, {flows_of(90)}), 0.1, 1e-15);
  // 120 of 200 took one way: the guess is for all runs together
  EXPECT_NEAR(mispredicted_part(asking(), 1, {flows_of(30), flows_of(90)}), 0.4, 1e-15);
  EXPECT_EQ(mispredicted_part(asking(), 1, {flows_of(100)}), 0);
}

TEST(Unforeseen, LoopsAndBlocksWithoutABranchHaveNone) {
  for (const int block : {0, 2, 3, 4})
    EXPECT_EQ(mispredicted_part(asking(), block, {flows_of(30)}), 0) << block;
  EXPECT_EQ(mispredicted_part(asking(), 1, {flows_of(0), Flows(13)}), 0);  // not executed in one of the runs
  EXPECT_EQ(mispredicted_part(asking(), 1, {}), 0);
}

TEST(Unforeseen, OfSeveralWaysAllButTheUsualOne) {
  facts::Function f = asking();
  // a second arc from the testing block to block 3: a switch
  f.arcs.push_back({4, 7});
  Flows flows = flows_of(50);
  flows[8] = 30, flows.push_back(20);
  EXPECT_NEAR(mispredicted_part(f, 1, {flows}), 0.5, 1e-15);
}

}  // namespace
}  // namespace parcast::program
