// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_corrections.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/fit_pattern.h"
#include "machine/pattern_cost.h"

namespace parcast::calibrate {
namespace {

using machine::PatternCost;

/// A pattern of 10 us at every size, and points that take `factor` times as long, with the given relative
/// error.
PatternCost flat(const std::vector<double>& factors, double error) {
  PatternCost out;
  PatternCost::Piece piece;
  piece.growth = "1", piece.startup = {10e-6, 1e-6, 1, Origin::measured};
  out.pieces = {piece};
  double bytes = 1;
  for (const double factor : factors)
    out.points.push_back({4, bytes *= 2, 10e-6 * factor, 10e-6 * factor * error, 20});
  return out;
}

TEST(FitCorrections, PointsThatAreKnownWellAreMet) {
  PatternCost pattern = flat({1, 1.5, 0.8, 2, 1}, 0);
  fit_corrections(pattern);
  for (const auto& point : pattern.points)
    EXPECT_NEAR(machine::pattern_seconds(pattern, 4, point.bytes) / point.seconds, 1, 2e-4);
}

TEST(FitCorrections, ADistanceThatThePointsErrorExplainsIsNotFollowed) {
  // 3 % off with an error of 5 %: (0.05 / 0.03)^2 > 1.
  PatternCost pattern = flat({1.03, 0.97, 1.03, 0.97}, 0.05);
  fit_corrections(pattern);
  EXPECT_TRUE(pattern.corrections.empty());
  // 2 us off with an error of 1.2 us (a tenth of 12 us) and the floor of 0.5 %.
  pattern = flat({1.2}, 0.1);
  fit_corrections(pattern);
  ASSERT_EQ(pattern.corrections.size(), 1u);
  const double error = 12e-6 * std::hypot(0.1, 0.005);
  EXPECT_NEAR(pattern.corrections[0].seconds, 2e-6 * (1 - error * error / 4e-12), 1e-12);
}

TEST(FitCorrections, KnotsOnALineAreLeftOut) {
  PatternCost pattern = flat({}, 0);
  for (int i = 0; i <= 10; ++i) pattern.points.push_back({4, 100.0 * (i + 1), 10e-6 + 1e-6 * i, 0, 20});
  pattern.points[0].seconds = 10.3e-6;  // off the pieces, so that both ends need a correction
  fit_corrections(pattern);
  ASSERT_EQ(pattern.corrections.size(), 3u);
  EXPECT_EQ(pattern.corrections[1].bytes, 200);
  EXPECT_NEAR(pattern.corrections[2].seconds, 10e-6, 1e-8);
}

TEST(FitCorrections, AMisfitIsWhatTheOtherPointsSayOfAPoint) {
  PatternCost pattern = flat({2, 2, 4, 2, 2}, 0);
  fit_corrections(pattern);
  const auto out = left_out(pattern);
  ASSERT_EQ(out.size(), 5u);
  EXPECT_NEAR(out[2].by_pieces, 1.0 / 4 - 1, 1e-9);
  EXPECT_NEAR(out[2].by_others, 2.0 / 4 - 1, 1e-4);  // its neighbours predict 20 us
  EXPECT_NEAR(out[0].by_others, 0, 1e-4);            // outside the other points the correction is constant
}

/// 10 us up to 4095 bytes, and 100 us from 4096 bytes on.
PatternCost stepped() {
  PatternCost out = flat({}, 0);
  out.pieces.push_back(out.pieces[0]);
  out.pieces[1].from_bytes = 4096, out.pieces[1].startup.value = 100e-6;
  return out;
}

TEST(FitCorrections, WherePiecesJumpNoTimeIsOutsideThoseMeasuredBeside) {
  PatternCost pattern = stepped();  // the jump comes from other process counts
  pattern.points = {{4, 1024, 20e-6, 0, 20}, {4, 16384, 22e-6, 0, 20}};
  fit_corrections(pattern);
  for (const double bytes : {1024, 2048, 4000, 4095, 4096, 4097, 8192, 16384}) {
    EXPECT_GE(machine::pattern_seconds(pattern, 4, bytes), 19.99e-6) << bytes;
    EXPECT_LE(machine::pattern_seconds(pattern, 4, bytes), 22.01e-6) << bytes;
  }
}

TEST(FitCorrections, AJumpOfThePiecesThatPointsShareStaysWhereItIs) {
  PatternCost pattern = stepped();
  pattern.points = {{4, 1024, 12e-6, 0, 20}, {4, 16384, 110e-6, 0, 20}};  // 2 and 10 us more than the pieces
  fit_corrections(pattern);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 4, 4095), 12e-6, 1e-8);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 4, 4096), 110e-6, 1e-7);
  for (auto& point : pattern.points) point.seconds = point.bytes < 4096 ? 10e-6 : 100e-6;
  fit_corrections(pattern);
  EXPECT_TRUE(pattern.corrections.empty());
}

TEST(FitCorrections, ACallOfNoBytesSaysNothingOfASmallMessage) {
  PatternCost pattern = flat({}, 0);
  pattern.points = {{4, 0, 4e-6, 0, 20}, {4, 8, 12e-6, 0, 20}, {4, 16, 12e-6, 0, 20}};
  fit_corrections(pattern);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 4, 0), 4e-6, 1e-9);
  for (const double bytes : {1, 4, 8, 16})
    EXPECT_NEAR(machine::pattern_seconds(pattern, 4, bytes), 12e-6, 1e-8) << bytes;
}

TEST(FitCorrections, ProcessCountsWithProtocolsOfTheirOwnAreMet) {
  // The switch is at a size that depends on p, which pieces in m alone cannot express.
  const auto law = [](double m, int p) {
    return m * p < 65536 ? 2e-6 * std::ceil(std::log2(p)) + m * 1e-9 : 30e-6 + m * 3e-10;
  };
  PatternCost pattern;
  pattern.name = "allreduce", pattern.pattern = recording::Pattern::allreduce;
  for (const int p : {2, 4, 8, 16, 32})
    for (double m = 8; m <= 1 << 20; m *= 2)
      pattern.points.push_back({p, m, law(m, p), 0.01 * law(m, p), 20});
  fit_pattern(pattern);
  for (const double residual : relative_residuals(pattern)) EXPECT_LT(residual, 0.05);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 16, 3 << 17), law(3 << 17, 16), 0.05 * law(3 << 17, 16));
}

}  // namespace
}  // namespace parcast::calibrate
