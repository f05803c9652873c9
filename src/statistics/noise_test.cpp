// SPDX-License-Identifier: Apache-2.0
#include "statistics/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/random.h"

namespace parcast::statistics {
namespace {

TEST(Noise, VariancesOnTheCurveGiveItsParts) {
  std::vector<Spread> spreads;
  for (const double t : {1e-6, 1e-5, 1e-4, 1e-3}) spreads.push_back({t, 4e-14 + 9e-4 * t * t, 1000});
  const auto noise = estimate_noise(spreads);
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->constant, 2e-7,
              2e-7 * 1e-3);  // values below the clipping point are scaled up by this much
  EXPECT_NEAR(noise->relative, 0.03, 0.03 * 1e-3);
}

std::vector<Spread> simulated(double constant, double relative, std::uint64_t seed, int groups, int repeats) {
  Random random(seed);
  std::vector<Spread> spreads;
  for (int g = 0; g < groups; ++g) {
    const double t = 1e-6 * std::pow(10.0, 4.0 * g / (groups - 1));
    std::vector<double> sample;
    for (int i = 0; i < repeats; ++i)
      sample.push_back(t + std::sqrt(constant * constant + relative * relative * t * t) * random.normal());
    spreads.push_back(spread_of_repeats(sample));
  }
  return spreads;
}

TEST(Noise, RepeatsOfFewGiveBothPartsWithinTheirError) {
  const auto noise = estimate_noise(simulated(3e-7, 0.02, 11, 40, 5));
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->constant, 3e-7, 1e-7);
  EXPECT_NEAR(noise->relative, 0.02, 0.003);
}

TEST(Noise, APartThatIsNotThereIsZeroNotNegative) {
  const auto relative = estimate_noise(simulated(0, 0.05, 5, 30, 6));
  const auto constant = estimate_noise(simulated(1e-4, 0, 6, 30, 6));
  ASSERT_TRUE(relative && constant);
  EXPECT_LT(relative->constant, 1e-7);
  EXPECT_GE(relative->constant, 0);
  EXPECT_NEAR(relative->relative, 0.05, 0.007);
  EXPECT_NEAR(constant->constant, 1e-4, 1.2e-5);
  EXPECT_LT(constant->relative, 0.01);
}

TEST(Noise, OneDisturbedGroupDoesNotSpeakForAll) {
  std::vector<Spread> spreads = simulated(3e-7, 0.02, 11, 40, 5);
  const auto clean = estimate_noise(spreads);
  spreads[30].variance *= 1e4;
  const auto disturbed = estimate_noise(spreads);
  ASSERT_TRUE(clean && disturbed);
  EXPECT_LT(disturbed->relative, 1.25 * clean->relative);
}

TEST(Noise, ResidualsSpeakLikeRepeats) {
  Random random(9);
  std::vector<Spread> spreads;
  for (int i = 0; i < 400; ++i) {
    const double t = 1 + 9 * random.uniform();
    spreads.push_back(spread_of_residual(t, 0.04 * t * random.normal() * std::sqrt(0.8), 0.2));
  }
  const auto noise = estimate_noise(spreads);
  ASSERT_TRUE(noise);
  EXPECT_NEAR(std::sqrt(noise->variance(5)), 0.2, 0.03);
}

TEST(Noise, OtherUnitsOfTimeScaleTheConstantPartOnly) {
  std::vector<Spread> spreads = simulated(3e-7, 0.02, 21, 20, 4);
  const auto seconds = estimate_noise(spreads);
  for (Spread& s : spreads) {
    s.value *= 1e6;
    s.variance *= 1e12;
  }
  const auto microseconds = estimate_noise(spreads);
  ASSERT_TRUE(seconds && microseconds);
  EXPECT_NEAR(microseconds->constant / 1e6 / seconds->constant, 1, 1e-6);
  EXPECT_NEAR(microseconds->relative / seconds->relative, 1, 1e-6);
}

TEST(Noise, TwoGroupsAreTakenAsRelativeNoise) {
  const std::vector<Spread> spreads{{1, 0.01, 4}, {10, 1, 4}};
  const auto noise = estimate_noise(spreads);
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->constant, 0);
  EXPECT_NEAR(noise->relative, 0.1, 0.001);
}

TEST(Noise, RefusesWhenNothingWasRepeated) {
  EXPECT_FALSE(estimate_noise(std::vector<Spread>{{1, 0, 0}}));
}

TEST(Noise, WithoutScatterWeightsAreOne) {
  const std::vector<Spread> spreads{{1, 0, 4}, {10, 0, 4}};
  const auto noise = estimate_noise(spreads);
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise_weights(*noise, std::vector<double>{3, 4}), (std::vector<double>{1, 1}));
  EXPECT_EQ(noise_weights({2, 0.5}, std::vector<double>{0, 4}), (std::vector<double>{0.25, 0.125}));
}

}  // namespace
}  // namespace parcast::statistics
