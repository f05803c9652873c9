// SPDX-License-Identifier: Apache-2.0
// Deviations between runs: computed by hand, and drawn at random with a known common part.
#include "observations/run_deviations.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/random.h"

namespace parcast::program {
namespace {

TEST(BetweenRuns, NothingIsKnownWithoutRuns) {
  EXPECT_EQ(between_runs({}).deviation, 0);
  const FittedSegment idle{{{0, .5, 0}}, {}, 1};
  EXPECT_EQ(between_runs(std::vector{idle}).deviation, 0);
}

TEST(BetweenRuns, OneRunLeavesTheOpinion) {
  const BetweenRuns found = between_runs(std::vector{FittedSegment{{{3, 0, 2.0}}, {}, 1}});
  EXPECT_DOUBLE_EQ(found.deviation, .03);
  EXPECT_DOUBLE_EQ(found.related, .5);
}

TEST(BetweenRuns, ByHand) {
  // Two segments of 1 and 3 seconds with one coefficient each. Four runs are alternately 10 % slow and fast,
  // equally in both segments.
  FittedSegment a{{}, {}, 1}, b{{}, {}, 1};
  for (std::size_t run = 0; run < 4; ++run)
    a.deviations.push_back({run, run % 2 ? .1 : -.1, 1}),
        b.deviations.push_back({run, run % 2 ? .1 : -.1, 3});
  const BetweenRuns found = between_runs(std::vector{a, b});
  EXPECT_NEAR(found.deviation, std::sqrt((2 * .0009 + 4 * .01) / (2 + 3)), 1e-15);
  EXPECT_NEAR(found.related, (2 * .5 + 3 * 1) / (2 + 3), 1e-15);
  EXPECT_NEAR(found.degrees, 3, 1e-12);
  // Opposite deviations: a run deviates by (.75 - .25) 10 %, and the segments are not correlated.
  for (SegmentDeviation& each : a.deviations) each.relative = -each.relative;
  const BetweenRuns apart = between_runs(std::vector{a, b});
  EXPECT_NEAR(apart.deviation, std::sqrt((2 * .0009 + 4 * .0025) / (2 + 3)), 1e-15);
  EXPECT_NEAR(apart.related, 2 * .5 / (2 + 3), 1e-15);
}

TEST(BetweenRuns, TheCommonPartOfRandomDeviations) {
  for (const double related : {0., .4, 1.}) {
    statistics::Random random(7);
    double deviation = 0, found = 0;
    constexpr int kSets = 200, kRuns = 24;
    for (int set = 0; set < kSets; ++set) {
      std::vector<FittedSegment> segments(6, FittedSegment{{}, {}, 2});
      for (std::size_t run = 0; run < kRuns; ++run) {
        const double common = random.normal();
        for (std::size_t s = 0; s < segments.size(); ++s)
          segments[s].deviations.push_back(
              {run,
               .1 * std::sqrt(11. / 12) *
                   (std::sqrt(related) * common + std::sqrt(1 - related) * random.normal()),
               1. + static_cast<double>(s)});
      }
      const BetweenRuns each = between_runs(segments);
      deviation += each.deviation * each.deviation / kSets, found += each.related / kSets;
    }
    // Shares s_i: the variance of a run is .01 (sum s_i^2 + related (1 - sum s_i^2)). The prior, worth 2 of
    // 24 runs, shrinks both estimates.
    const double squares = 91. / 441, variance = .01 * (squares + related * (1 - squares));
    EXPECT_NEAR(deviation, (22 * variance + 2 * .0009) / 24, .06 * variance) << related;
    EXPECT_NEAR(found, (22 * related + 1) / 24, .05) << related;
  }
}

}  // namespace
}  // namespace parcast::program
