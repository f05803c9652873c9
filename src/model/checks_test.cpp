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
