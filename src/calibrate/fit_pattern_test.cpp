// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machine/pattern_cost.h"
#include "statistics/random.h"

namespace parcast::calibrate {
namespace {

using machine::CostPoint;
using machine::PatternCost;
using recording::Pattern;

template <class Law>
PatternCost pattern_of(Pattern kind, std::vector<int> counts, Law law, double noise, std::uint64_t seed = 1) {
  PatternCost pattern;
  pattern.pattern = kind;
  pattern.name = std::string(machine::pattern_name(kind));
  statistics::Random random(seed);
  for (const int p : counts)
    for (double bytes = 8; bytes <= 1 << 20; bytes *= 2) {
      const double seconds = law(bytes, p) * (1 + noise * random.normal());
      pattern.points.push_back({p, bytes, seconds, noise * seconds, 50});
    }
  return pattern;
}

double ceil_log2(double p) {
  return std::ceil(std::log2(p));
}

TEST(FitPattern, RecoversABinomialTree) {
  const auto law = [](double m, int p) { return ceil_log2(p) * (2e-6 + 4e-10 * m); };
  auto pattern = pattern_of(Pattern::broadcast, {2, 3, 4, 6, 8, 16}, law, 0.01);
  EXPECT_TRUE(fit_pattern(pattern).empty());
  ASSERT_EQ(pattern.pieces.size(), 1u);
  EXPECT_EQ(pattern.pieces[0].growth, "ceil_log2");
  EXPECT_NEAR(pattern.pieces[0].startup_growth.value, 2e-6, 0.05e-6);
  EXPECT_NEAR(pattern.pieces[0].per_byte_growth.value, 4e-10, 0.1e-10);
  EXPECT_GT(pattern.pieces[0].startup_growth.standard_error, 0);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 64, 1024), law(1024, 64), 0.05 * law(1024, 64));
}

TEST(FitPattern, FindsALinearGrowthWhereTheUsualAlgorithmIsNotUsed) {
  const auto law = [](double m, int p) { return 5e-6 + 1e-6 * p + m * 3e-10; };
  auto pattern = pattern_of(Pattern::allreduce, {2, 4, 8, 16, 32}, law, 0.01);
  fit_pattern(pattern);
  for (const auto& piece : pattern.pieces) EXPECT_THAT(piece.growth, ::testing::AnyOf("linear", "peers"));
  EXPECT_NEAR(machine::pattern_seconds(pattern, 64, 64), law(64, 64), 0.1 * law(64, 64));
}

TEST(FitPattern, ResidualsOfATwoProtocolPatternAreSmall) {
  const auto law = [](double m, int p) {
    return m < 4096 ? ceil_log2(p) * (1e-6 + 8e-10 * m)
                    : 12e-6 + ceil_log2(p) * 2e-6 + m * 2e-10 * ceil_log2(p);
  };
  auto pattern = pattern_of(Pattern::reduce, {2, 4, 8, 16}, law, 0.02);
  fit_pattern(pattern);
  EXPECT_EQ(pattern.pieces.size(), 2u);
  EXPECT_EQ(pattern.pieces[1].from_bytes, 4096);
  auto residuals = relative_residuals(pattern);
  std::sort(residuals.begin(), residuals.end());
  EXPECT_LE(residuals[residuals.size() / 2], 0.05);
  EXPECT_LE(residuals[residuals.size() * 95 / 100], 0.15);
}

TEST(FitPattern, OneProcessCountTakesTheUsualGrowthAndSaysSo) {
  auto pattern = pattern_of(
      Pattern::allreduce, {2}, [](double m, int) { return 1e-6 + 1e-9 * m; }, 0.001);
  EXPECT_EQ(fit_pattern(pattern), "ceil_log2");
  const auto& piece = pattern.pieces[0];
  EXPECT_EQ(piece.growth, "ceil_log2");
  EXPECT_EQ(piece.startup_growth.origin, Origin::assumed);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 2, 512), 1.512e-6, 0.03e-6);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 16, 8), 4 * machine::pattern_seconds(pattern, 2, 8), 1e-12);
}

TEST(FitPattern, OneProcessHasItsOwnCost) {
  auto pattern = pattern_of(
      Pattern::allreduce, {1}, [](double m, int) { return 5e-8 + 1e-10 * m; }, 0.001);
  EXPECT_TRUE(fit_pattern(pattern).empty());
  EXPECT_TRUE(pattern.pieces.empty());
  EXPECT_NEAR(pattern.single_startup.value, 5e-8, 1e-9);
  EXPECT_NEAR(pattern.single_per_byte.value, 1e-10, 1e-12);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 1, 1000), 1.5e-7, 2e-9);
}

/// A library completes a call of no bytes without a message, in 20 ns instead of 2 us. This must not affect
/// the fit of messages, on several processes or on one.
TEST(FitPattern, ACallOfNoBytesMovesNoPiece) {
  const auto law = [](double m, int p) {
    return p == 1 ? 5e-8 + 1e-10 * m : ceil_log2(p) * (2e-6 + 4e-10 * m);
  };
  const PatternCost without = [&] {
    PatternCost out = pattern_of(Pattern::broadcast, {1, 2, 4, 8}, law, 0);
    fit_pattern(out);
    return out;
  }();
  PatternCost with = without;
  for (const int p : {1, 2, 4, 8}) with.points.push_back({p, 0, 2e-8, 1e-10, 50});
  fit_pattern(with);
  ASSERT_EQ(with.pieces.size(), without.pieces.size());
  EXPECT_EQ(with.pieces[0].startup_growth.value, without.pieces[0].startup_growth.value);
  EXPECT_NEAR(with.pieces[0].startup_growth.standard_error, without.pieces[0].startup_growth.standard_error,
              1e-15);
  EXPECT_EQ(with.single_startup.value, without.single_startup.value);
  EXPECT_NEAR(machine::pattern_seconds(with, 8, 4), law(4, 8), 1e-8);
  // equation 8 removes at most nine tenths
  EXPECT_NEAR(machine::pattern_seconds(with, 8, 0), law(0, 8) / 10, 1e-9);
}

TEST(FitPattern, ABarrierNeedsNoBytes) {
  PatternCost pattern;
  pattern.pattern = Pattern::barrier;
  pattern.name = "barrier";
  for (const int p : {2, 4, 8, 16}) pattern.points.push_back({p, 0, 1e-6 * ceil_log2(p), 1e-9, 50});
  fit_pattern(pattern);
  ASSERT_EQ(pattern.pieces.size(), 1u);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 64, 0), 6e-6, 1e-7);
}

/// Without one of the three counts, there are as many points as a growth has coefficients.
TEST(FitPattern, ABarrierOnThreeNumbersOfProcessesGrows) {
  for (const std::vector<int>& counts : {std::vector{2, 4, 8}, std::vector{2, 3, 4}}) {
    PatternCost pattern;
    pattern.pattern = Pattern::barrier;
    pattern.name = "barrier";
    for (const int p : counts) pattern.points.push_back({p, 0, 1e-6 * ceil_log2(p), 1e-9, 50});
    EXPECT_EQ(fit_pattern(pattern), "");
    EXPECT_NEAR(machine::pattern_seconds(pattern, 64, 0), 6e-6, 1e-7);
  }
}

/// a + b log2 p through two points: a = .8 us, b = .2 us.
TEST(FitPattern, TwoNumbersOfProcessesDetermineABarrier) {
  PatternCost pattern;
  pattern.pattern = Pattern::barrier;
  pattern.name = "barrier";
  pattern.points = {{2, 0, 1e-6, 1e-8, 50}, {4, 0, 1.2e-6, 1e-8, 50}};
  EXPECT_EQ(fit_pattern(pattern), "ceil_log2");
  ASSERT_EQ(pattern.pieces.size(), 1u);
  EXPECT_NEAR(pattern.pieces[0].startup.value, 8e-7, 1e-15);
  EXPECT_NEAR(pattern.pieces[0].startup_growth.value, 2e-7, 1e-15);
  EXPECT_NEAR(machine::pattern_seconds(pattern, 8, 0), 1.4e-6, 1e-12);
  // b = t(4) - t(2), so its error is that of the difference.
  const double error_2 = relative_error(pattern.points[0]) * 1e-6,
               error_4 = relative_error(pattern.points[1]) * 1.2e-6;
  EXPECT_NEAR(pattern.pieces[0].startup_growth.standard_error, std::hypot(error_2, error_4), 1e-3 * error_4);
}

/// With a single process count the assumed growth follows from the kind of table.
TEST(FitPattern, AFenceGrowsLikeABarrierAndPartnersAloneDoNot) {
  const auto grows = [](const std::string& name) {
    auto table = pattern_of(
        Pattern::none, {4}, [](double m, int) { return 2e-6 + 1e-9 * m; }, 0.001);
    table.name = name;
    fit_pattern(table);
    return machine::pattern_seconds(table, 16, 1024) / machine::pattern_seconds(table, 4, 1024);
  };
  EXPECT_NEAR(grows("put-fence"), 2, 1e-9);
  for (const char* name : {"put-lock", "get-pscw", "accumulate-flush", "exchange", "shift", "halo3d"})
    EXPECT_NEAR(grows(name), 1, 1e-9) << name;
}

TEST(FitPattern, AllCostsAreNonnegativeWhateverThePoints) {
  statistics::Random random(9);
  for (int round = 0; round < 30; ++round) {
    auto pattern = pattern_of(
        Pattern::gather, {2, 3, 5}, [&](double, int) { return 1e-6 * std::exp(2 * random.normal()); }, 0.0);
    fit_pattern(pattern);
    machine::Machine machine = machine::ideal_machine();
    machine.patterns = {pattern};
    EXPECT_TRUE(check(machine));
  }
}

}  // namespace
}  // namespace parcast::calibrate
