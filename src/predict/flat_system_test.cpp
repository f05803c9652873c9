// SPDX-License-Identifier: Apache-2.0
#include "predict/flat_system.h"

#include <gtest/gtest.h>

#include "machine/test_systems.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

/// Rank 0 is on the host, rank k on node k - 1 of a cube of eight.
machine::Machine host_and_cube() {
  machine::Machine out;
  out.name = "ipsc";
  out.system = std::make_shared<machine::System>(machine::test::hypercube_with_host(8));
  return out;
}

double latency(std::int32_t ranks) { return flattened(host_and_cube(), by_hand::ask(ranks)).links.at("network").latency.value; }

// Messages enter the cube at node 0: node 7 is three hops of 10 us further, node 1 one.
TEST(FlatSystem, TakesTheLongestWayFromRankZero) {
  EXPECT_NEAR(latency(3) - latency(2), 1e-5, 1e-12);
  EXPECT_NEAR(latency(9) - latency(2), 3e-5, 1e-12);
  EXPECT_GT(latency(2), 1e-3);  // the host's own connection alone
}

TEST(FlatSystem, HasANodeForEachRankAndNoSystem) {
  const machine::Machine flat = flattened(host_and_cube(), by_hand::ask(9));
  EXPECT_FALSE(flat.system);
  EXPECT_EQ(flat.nodes, 9);
  EXPECT_EQ(flat.cores_per_node, 1);
}

TEST(FlatSystem, IsTheMachineWhereNothingIsSentOrRanksHaveNoPlace) {
  EXPECT_TRUE(flattened(host_and_cube(), by_hand::ask(1)).system);
  EXPECT_TRUE(flattened(host_and_cube(), by_hand::ask(64)).system);
  EXPECT_FALSE(flattened(by_hand::simple_machine(1e-6, 0, 0), by_hand::ask(4)).system);
}

}  // namespace
}  // namespace parcast::predict
