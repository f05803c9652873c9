// SPDX-License-Identifier: Apache-2.0
#include "calibrate/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "statistics/random.h"

namespace parcast::calibrate {
namespace {

std::vector<double> sizes_to(double largest) {
  std::vector<double> sizes{0};
  for (double bytes = 8; bytes <= largest; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

template <class Law>
std::vector<Observation> observe(const std::vector<double>& sizes, Law law, double noise, std::uint64_t seed,
                                 int groups = 1) {
  statistics::Random random(seed);
  std::vector<Observation> out;
  for (int group = 1; group <= groups; ++group)
    for (const double bytes : sizes)
      out.push_back({bytes, law(bytes, group) * (1 + noise * random.normal()), noise, group});
  return out;
}

TEST(FindBreaks, StraightDataKeepOnePiece) {
  const auto sizes = sizes_to(1 << 22);
  int broken = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const double noise = 0.01 * static_cast<double>(1 + seed % 5);
    const auto data = observe(
        sizes, [](double m, int) { return 2e-6 + 3e-10 * m; }, noise, seed);
    broken += !find_breaks(data).empty();
  }
  EXPECT_LE(broken, 10);  // 5 % of 200
}

TEST(FindBreaks, StraightDataOfSeveralProcessCountsKeepOnePiece) {
  const auto sizes = sizes_to(1 << 20);
  int broken = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto data = observe(
        sizes, [](double m, int group) { return group * (2e-6 + 3e-10 * m); }, 0.03, seed, 3);
    broken += !find_breaks(data).empty();
  }
  EXPECT_LE(broken, 3);
}

TEST(FindBreaks, AJumpIsFoundWithinOneSizeStep) {
  const auto sizes = sizes_to(1 << 22);
  int found = 0;
  const int cases = 40;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const double limit = std::exp2(9 + static_cast<double>(seed % 8)) + 1;  // between two sizes
    const auto law = [&](double m, int) { return m < limit ? 1e-6 + 5e-10 * m : 4e-6 + 2e-10 * m; };
    const auto breaks = find_breaks(observe(sizes, law, 0.02, seed));
    found += breaks.size() == 1 && breaks[0] >= limit - 1 && breaks[0] <= 2 * limit;
  }
  EXPECT_GE(found, cases * 95 / 100);
}

TEST(FindBreaks, AFlatterSlopeIsFoundWithinOneSizeStep) {
  const auto sizes = sizes_to(1 << 22);
  const double limit = 65536;
  const auto law = [&](double m, int) {
    return 1e-6 + 5e-10 * std::min(m, limit) + 1e-10 * std::max(0.0, m - limit);
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto breaks = find_breaks(observe(sizes, law, 0.01, seed));
    ASSERT_EQ(breaks.size(), 1u) << seed;
    EXPECT_GE(breaks[0], limit / 2);
    EXPECT_LE(breaks[0], limit * 2);
  }
}

// Costs are >= 0, so a line that would start below zero is followed in several pieces, the first of which
// starts at the break.
TEST(FindBreaks, ASteeperSlopeIsFollowedFromItsBreakOn) {
  const auto sizes = sizes_to(1 << 22);
  const double limit = 65536;
  const auto law = [&](double m, int) { return 1e-6 + 1e-10 * m + (m > limit ? 4e-10 * (m - limit) : 0); };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto breaks = find_breaks(observe(sizes, law, 0.01, seed));
    ASSERT_FALSE(breaks.empty()) << seed;
    EXPECT_GE(breaks[0], limit / 2);
    EXPECT_LE(breaks[0], limit * 2);
  }
}

TEST(FindBreaks, TwoProtocolsOfSeveralProcessCountsShareTheirBreaks) {
  const auto sizes = sizes_to(1 << 20);
  const auto law = [](double m, int group) {
    const double steps = group;
    return m < 1000    ? steps * (1e-6 + 1e-9 * m)
           : m < 40000 ? steps * (3e-6 + 5e-10 * m)
                       : 30e-6 + steps * 1e-10 * m;
  };
  EXPECT_THAT(find_breaks(observe(sizes, law, 0.01, 5, 4)), ::testing::ElementsAre(1024, 65536));
}

TEST(FindBreaks, TooFewSizesGiveNoBreak) {
  const std::vector<Observation> few{{1, 1e-6, 0, 1}, {2, 5e-6, 0, 1}, {4, 1e-6, 0, 1}, {8, 5e-6, 0, 1}};
  EXPECT_TRUE(find_breaks(few).empty());
  EXPECT_TRUE(find_breaks({}).empty());
}

TEST(FitLine, GoesThroughExactData) {
  const std::vector<Observation> data{{0, 2e-6, 0, 1}, {1000, 3e-6, 0, 1}, {4000, 6e-6, 0, 1}};
  const Line line = fit_line(data);
  EXPECT_NEAR(line.startup, 2e-6, 1e-18);
  EXPECT_NEAR(line.per_byte, 1e-9, 1e-21);
}

TEST(FitLine, NeverGivesANegativeCost) {
  const std::vector<Observation> steep{{1000, 1e-6, 0, 1}, {2000, 3e-6, 0, 1}, {4000, 9e-6, 0, 1}};
  const Line through_zero = fit_line(steep);
  EXPECT_EQ(through_zero.startup, 0);
  EXPECT_GT(through_zero.per_byte, 0);
  const std::vector<Observation> falling{{1000, 3e-6, 0, 1}, {2000, 2e-6, 0, 1}};
  EXPECT_EQ(fit_line(falling).per_byte, 0);
  EXPECT_GT(fit_line(falling).startup, 2e-6);
}

}  // namespace
}  // namespace parcast::calibrate
