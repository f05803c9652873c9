// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/noise_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace parcast::program {
namespace {

constexpr double kNear = 1e-12;

TEST(NoiseLaw, DisturbancesAtRandomTimesFallWithTheRootOfTheDuration) {
  std::vector<NoiseOfRun> runs;
  for (const double ms : {1., 4., 16.}) runs.push_back({ms * 1e-3, 0.4 / std::sqrt(ms), 1});
  const NoiseLaw law = noise_law(runs);
  EXPECT_EQ(law.falls, 0.5);
  EXPECT_NEAR(law.seconds, 4e-3, kNear);
  EXPECT_NEAR(law.noise, 0.2, kNear);
  EXPECT_NEAR(law.most, 0.4, kNear);
}

TEST(NoiseLaw, ThatFollowsTheDataOfEachExecutionDoesNotFall) {
  std::vector<NoiseOfRun> runs;
  for (const double ms : {1., 4., 16., 64.}) runs.push_back({ms * 1e-3, 0.3, ms});
  const NoiseLaw law = noise_law(runs);
  EXPECT_EQ(law.falls, 0);
  EXPECT_NEAR(law.noise, 0.3, kNear);
}

TEST(NoiseLaw, OfRoundingToACoarseClockFallsWithTheDuration) {
  std::vector<NoiseOfRun> runs;
  for (const double ms : {1., 4., 16., 64.}) runs.push_back({ms * 1e-3, 0.3 / ms, 1});
  EXPECT_EQ(noise_law(runs).falls, 1);
}

TEST(NoiseLaw, OfOneDurationIsItsMeanAndFallsAsIsUsual) {
  const NoiseLaw law = noise_law(std::vector<NoiseOfRun>{{2e-3, 0.1, 1}, {2e-3, 0.4, 2}});
  EXPECT_EQ(law.falls, 0.5);
  EXPECT_NEAR(law.noise, 0.3, kNear);
  EXPECT_NEAR(law.most, 0.3, kNear);
}

TEST(NoiseLaw, OfNothingIsNone) {
  EXPECT_EQ(noise_law({}).noise, 0);
  EXPECT_EQ(noise_law(std::vector<NoiseOfRun>{{2e-3, 0, 1}}).noise, 0);
}

}  // namespace
}  // namespace parcast::program
