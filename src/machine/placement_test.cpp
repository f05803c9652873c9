// SPDX-License-Identifier: Apache-2.0
#include "machine/placement.h"

#include <gtest/gtest.h>

namespace parcast::machine {
namespace {

TEST(Placement, IsOneNodeOnePerNodeOrBetween) {
  EXPECT_EQ(spread_of(1, 8), Spread::one_node);
  EXPECT_EQ(spread_of(8, 1), Spread::one_per_node);
  EXPECT_EQ(spread_of(2, 4), Spread::several_per_node);
  EXPECT_EQ(spread_text(1, 8), "all processes on one node");
  EXPECT_EQ(spread_text(8, 1), "one process on each node");
  EXPECT_EQ(spread_text(2, 4), "up to 4 processes on each of 2 nodes");
}

/// Nodes of eight cores, filled one after the other: 2 to 8 processes are on one node, 16 on two.
Machine filled() {
  Machine machine;
  machine.placements = {{2, 1, 2}, {4, 1, 4}, {8, 1, 8}, {16, 2, 8}};
  PatternCost table;
  table.name = "allreduce";
  for (const int p : {1, 2, 4, 8, 16}) table.points.push_back({p, 8, 1e-6, 0, 9});
  machine.patterns = {table};
  return machine;
}

TEST(Placement, OfTheCountsNextToTheAskedOneIsCompared) {
  const Machine machine = filled();
  const PatternCost& table = machine.patterns[0];
  const auto otherwise = [&](double members, Spread asked) {
    const auto found = placed_otherwise(machine, table, members, asked);
    return found ? found->processes : 0;
  };
  EXPECT_EQ(otherwise(4, Spread::one_node), 0);
  EXPECT_EQ(otherwise(4, Spread::one_per_node), 4);
  EXPECT_EQ(otherwise(5, Spread::several_per_node), 4);   // between 4 and 8, both on one node
  EXPECT_EQ(otherwise(12, Spread::several_per_node), 0);  // between 8 on one node and 16 on two
  EXPECT_EQ(otherwise(12, Spread::one_node), 0);
  EXPECT_EQ(otherwise(64, Spread::several_per_node), 0);  // as for 16
  EXPECT_EQ(otherwise(64, Spread::one_per_node), 16);
  EXPECT_EQ(otherwise(1.5, Spread::one_per_node), 2);  // below all measured counts
}

TEST(Placement, ThatIsNotKnownOfATableIsNotOtherwise) {
  Machine machine = filled();
  machine.patterns[0].points = {{3, 8, 1e-6, 0, 9}};  // no placement of a launch of three is known
  EXPECT_FALSE(placed_otherwise(machine, machine.patterns[0], 3, Spread::one_per_node));
  machine.patterns[0].points.clear();
  EXPECT_FALSE(placed_otherwise(machine, machine.patterns[0], 4, Spread::one_per_node));
  machine = filled();
  machine.placements.clear();  // a file written before placements were kept
  EXPECT_FALSE(placed_otherwise(machine, machine.patterns[0], 4, Spread::one_per_node));
}

TEST(Placement, OfTwoLaunchesOfACountEitherWillDo) {
  Machine machine = filled();
  machine.placements = {{4, 1, 4}, {4, 4, 1}};
  EXPECT_FALSE(placed_otherwise(machine, machine.patterns[0], 4, Spread::one_node));
  EXPECT_FALSE(placed_otherwise(machine, machine.patterns[0], 4, Spread::one_per_node));
  ASSERT_TRUE(placed_otherwise(machine, machine.patterns[0], 4, Spread::several_per_node));
  EXPECT_EQ(placed_otherwise(machine, machine.patterns[0], 4, Spread::several_per_node)->nodes, 1);
}

}  // namespace
}  // namespace parcast::machine
