// SPDX-License-Identifier: Apache-2.0
#include "source/counts/branch_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace parcast::program {
namespace {

// Wilson 1927, by hand: 81 of 263 at 95 % is .2553 .. .3662 (Newcombe 1998, table I, method 3).
TEST(BranchRatio, OfOneProcessIsWilsons) {
  const BranchRatio found = branch_ratio(std::vector<Ways>{{81, 263}, {0, 0}}, .95);
  EXPECT_TRUE(found.by_chance);
  EXPECT_NEAR(found.ratio, 81.0 / 263, 1e-12);
  EXPECT_NEAR(found.low, .2553, 5e-5);
  EXPECT_NEAR(found.high, .3662, 5e-5);
}

// Two processes, 10 and 30 of 100: ratio .2, deviations -10 and 10, variance 200 * 2 / 200^2 = .01. This
// gives 16 independent executions instead of 200.
TEST(BranchRatio, OfProcessesThatDifferHasTheSpreadOfThese) {
  const BranchRatio found = branch_ratio(std::vector<Ways>{{10, 100}, {30, 100}}, .9);
  EXPECT_FALSE(found.by_chance);
  EXPECT_NEAR(found.ratio, .2, 1e-12);
  const double t = 6.313752, z2 = t * t / 16, middle = (.2 + z2 / 2) / (1 + z2),
               half = std::sqrt(z2 * .16 + z2 * z2 / 4) / (1 + z2);
  EXPECT_NEAR(found.low, middle - half, 1e-6);
  EXPECT_NEAR(found.high, middle + half, 1e-6);
}

TEST(BranchRatio, ThatIsTheSameEverywhereIsAsSureAsItsTimes) {
  const BranchRatio found =
      branch_ratio(std::vector<Ways>{{500, 1000}, {500, 1000}, {500, 1000}, {500, 1000}}, .9);
  EXPECT_NEAR(found.ratio, .5, 1e-12);
  // Student's t with 3 degrees of freedom
  EXPECT_NEAR(found.high - found.low, 2 * 2.353363 * .5 / std::sqrt(4000), 1e-3);
}

// Each process has its own ratio around .3, as with different data.
TEST(BranchRatio, HoldsTheMeanOfProcessesAsOftenAsItSays) {
  std::mt19937_64 random(7);
  int held = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Ways> ways;
    for (int process = 0; process < 8; ++process) {
      std::uniform_real_distribution<double> own(.1, .5);
      std::binomial_distribution<std::uint64_t> times(400, own(random));
      ways.push_back({times(random), 400});
    }
    const BranchRatio found = branch_ratio(ways, .9);
    held += found.low <= .3 && .3 <= found.high ? 1 : 0;
  }
  EXPECT_NEAR(held / static_cast<double>(kTrials), .9, .02);  // three standard errors of 2,000 trials
}

}  // namespace
}  // namespace parcast::program
