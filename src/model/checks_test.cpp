// SPDX-License-Identifier: Apache-2.0
#include "model/checks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::program {
namespace {

RunCheck run_of(Compared computing, std::optional<Compared> total = {}) {
  RunCheck out;
  out.computing = computing;
  out.total = total;
  return out;
}

TEST(Checks, AMissIsThePartByWhichTheGreaterExceedsTheSmaller) {
  EXPECT_DOUBLE_EQ(miss({.recorded = 2, .given = 3}), 0.5);
  EXPECT_DOUBLE_EQ(miss({.recorded = 3, .given = 2}), 0.5);
  EXPECT_EQ(miss({.recorded = 0, .given = 0}), 0);
  EXPECT_TRUE(std::isinf(miss({.recorded = 0, .given = 1})));
}

TEST(Checks, MissesOfRunsHaveTheirMedianAndTheFirstOfTheLargest) {
  const std::vector<RunCheck> runs{run_of({1, 1.2}), run_of({1, 2}), run_of({2, 1}), run_of({1, 1.1})};
  const Misses misses = computing_misses(runs);
  EXPECT_EQ(misses.count, 4u);
  EXPECT_DOUBLE_EQ(misses.median, (0.2 + 1) / 2);
  EXPECT_DOUBLE_EQ(misses.largest, 1);
  EXPECT_EQ(misses.worst, 1u);
}

// The model of all runs gives 20 ms at n = 20 and that of the others 16 ms: 20 / 16 - 1, whatever was
// recorded.
TEST(Checks, MissedGrowthIsTheDifferenceBetweenTwoModels) {
  const auto run = [](double n, double recorded, double given) {
    RunCheck check;
    check.parameters = {{"n", n}}, check.processes = 1, check.computing = {recorded, given};
    return check;
  };
  const ForwardCheck forward{"n", 20, 10, {run(20, 0.030, 0.016)}};
  EXPECT_NEAR(growth_missed(forward, {run(10, 0.010, 0.010), run(20, 0.030, 0.020)}), 0.25, 1e-12);
  EXPECT_NEAR(growth_missed(forward, {run(10, 0.010, 0.010)}), 30.0 / 16 - 1, 1e-12);
  EXPECT_EQ(growth_missed({"n", 20, 10, {}}, {}), 0);
}

TEST(Checks, RunsWithoutATotalAreNoneOfItsMisses) {
  const std::vector<RunCheck> runs{run_of({1, 9}), run_of({1, 1}, Compared{4, 5})};
  const Misses misses = total_misses(runs);
  EXPECT_EQ(misses.count, 1u);
  EXPECT_DOUBLE_EQ(misses.largest, 0.25);
  EXPECT_EQ(misses.worst, 1u);
  EXPECT_EQ(total_misses({run_of({1, 9})}).count, 0u);
}

}  // namespace
}  // namespace parcast::program
