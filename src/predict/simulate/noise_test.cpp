// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/variants.h"

namespace parcast::simulate {
namespace {

constexpr double kUnit = 4294967296.0;

double phi(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

/// Returns E[max of p independent factors], by its integral over z: p phi(z) Phi(z)^(p-1) exp(s z - s^2 / 2).
double expected_maximum(int p, double spread) {
  constexpr double kStep = 1e-3;
  double sum = 0;
  for (double z = -9; z <= 12; z += kStep) {
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    sum += kStep * p * density * std::pow(phi(z), p - 1) * std::exp(spread * z - spread * spread / 2);
  }
  return sum;
}

/// The published first numbers of SplitMix64 for the seeds 0 and 1234567.
TEST(Noise, TheGeneratorIsSplitMix64) {
  EXPECT_EQ(random_bits(0, 0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random_bits(0, 1), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(random_bits(1234567, 0), 6457827717110365317u);
}

/// Numbers from a second program, written in another language with its own logarithm and exponential.
TEST(Noise, FactorsAreTheSameEverywhere) {
  const std::vector<std::int64_t> small{4039940315, 4294023802, 3878027298, 4072756967},
      large{1118238078, 3089504496, 565663411, 1279602847};
  for (std::uint64_t index = 0; index < 4; ++index) {
    EXPECT_EQ(random_factor(42, index, spread_of(0.05)), small[index]);
    EXPECT_EQ(random_factor(42, index, spread_of(1)), large[index]);
  }
  const std::vector<std::int64_t> pieces{3995768454, 4040570259, 4875537730,
                                         5003223140, 3258552266, 3431402427};
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    NoiseOfRank noise({.seed = 9, .each = 0.2}, rank);
    for (std::size_t piece = 0; piece < 3; ++piece)
      EXPECT_EQ(noise.next(std::int64_t{1} << 32), pieces[3 * static_cast<std::size_t>(rank) + piece]);
    NoiseOfRank lasting({.seed = 9, .lasting = 0.5}, rank);
    for (int piece = 0; piece < 3; ++piece)
      EXPECT_EQ(lasting.next(std::int64_t{1} << 32), rank == 0 ? 6637649724 : 5825918887);
  }
}

TEST(Noise, SpreadFollowsFromTheRelativeDeviation) {
  EXPECT_NEAR(spread_of(1), std::sqrt(std::log(2.0)), 1e-15);
  EXPECT_NEAR(spread_of(0.01), 0.009999750013540755, 1e-15);
  EXPECT_EQ(spread_of(0), 0);
}

TEST(Noise, KeepsTheMeanAndHasTheDeviation) {
  for (const double relative : {0.02, 0.2, 0.5}) {
    constexpr int kDraws = 200'000;
    double sum = 0, squares = 0;
    for (std::uint64_t index = 0; index < kDraws; ++index) {
      const double factor = static_cast<double>(random_factor(11, index, spread_of(relative))) / kUnit;
      sum += factor, squares += (factor - 1) * (factor - 1);
    }
    EXPECT_NEAR(sum / kDraws, 1, 4 * relative / std::sqrt(kDraws)) << relative;
    EXPECT_NEAR(std::sqrt(squares / kDraws), relative, 0.02 * relative) << relative;
  }
}

TEST(Noise, NothingIsDrawnWhereThereIsNone) {
  NoiseOfRank none({.seed = 3}, 5);
  for (const trace::Time time : {trace::Time{0}, trace::Time{1}, trace::Time{123456789}, trace::kLongest})
    EXPECT_EQ(none.next(time), time);
}

TEST(Noise, ALongTimeStaysRefusedAndDoesNotOverflow) {
  NoiseOfRank noise({.seed = 3, .each = 10, .lasting = 10}, 0);
  for (int piece = 0; piece < 1000; ++piece) {
    const trace::Time time = noise.next(trace::kLongest);
    EXPECT_GE(time, 0);
    EXPECT_LE(time, trace::kLongest + 1);
  }
}

/// Ranks that compute for a millisecond each, without costs of messages.
trace::Trace computing(std::int32_t ranks, std::uint32_t pieces) {
  testing::Program program;
  program.ranks.assign(static_cast<std::size_t>(ranks),
                       testing::Body{testing::loop(pieces, {testing::compute(1'000'000'000)})});
  return testing::to_trace(program);
}

std::vector<double> makespans(const trace::Trace& trace, double each, double lasting, std::size_t repeats) {
  const auto all = simulate_each(
      trace, repeats,
      [&](std::size_t number) {
        Platform platform;
        platform.links.emplace_back();
        platform.noise = Noise{number, each, lasting};
        return platform;
      },
      2);
  std::vector<double> out;
  for (const Summary& summary : *all) out.push_back(static_cast<double>(summary.makespan) / 1e9);
  return out;
}

struct Moments {
  double mean = 0, error = 0;
};
Moments moments(const std::vector<double>& values) {
  Moments out;
  double squares = 0;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / count;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.error = std::sqrt(squares / (count - 1) / count);
  return out;
}

/// For two ranks, E[max] = 2 Phi(s / sqrt 2) in closed form; for more, the integral, which is compared with
/// the closed form.
TEST(Noise, TheSlowestOfPRanksTakesTheExpectedMaximum) {
  EXPECT_NEAR(expected_maximum(2, spread_of(0.2)), 2 * phi(spread_of(0.2) / std::numbers::sqrt2), 1e-9);
  for (const int p : {1, 2, 16, 128})
    for (const bool lasting : {false, true}) {
      const Moments found = moments(makespans(computing(p, 1), lasting ? 0 : 0.2, lasting ? 0.2 : 0, 1500));
      EXPECT_NEAR(found.mean, expected_maximum(p, spread_of(0.2)), 4 * found.error) << p;
      EXPECT_LT(found.error, 0.006);
    }
}

/// The sum of n pieces varies by 1 / sqrt(n) of one piece; a lasting factor does not average out.
TEST(Noise, PiecesAverageOutAndWhatLastsDoesNot) {
  const auto deviation = [](const Moments& of, std::size_t count) {
    return of.error * std::sqrt(static_cast<double>(count));
  };
  constexpr std::size_t kRepeats = 2000;
  const Moments pieces = moments(makespans(computing(1, 100), 0.3, 0, kRepeats)),
                lasting = moments(makespans(computing(1, 100), 0, 0.3, kRepeats));
  EXPECT_NEAR(pieces.mean, 100, 4 * pieces.error);
  EXPECT_NEAR(lasting.mean, 100, 4 * lasting.error);
  EXPECT_NEAR(deviation(pieces, kRepeats), 0.3 * 10, 0.3);
  EXPECT_NEAR(deviation(lasting, kRepeats), 0.3 * 100, 3);
}

TEST(Noise, SeedsRanksAndPiecesAreIndependent) {
  std::vector<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::int32_t rank = 0; rank < 20; ++rank) {
      NoiseOfRank noise({.seed = seed, .each = 0.1}, rank);
      for (int piece = 0; piece < 20; ++piece) seen.push_back(noise.next(std::int64_t{1} << 40));
    }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Noise, OutOfRangeIsRefused) {
  for (const double bad : {-0.1, 11.0, std::nan("")}) {
    Platform platform;
    platform.links.emplace_back();
    platform.noise = Noise{1, bad, 0};
    EXPECT_FALSE(simulate(computing(1, 1), platform));
    platform.noise = Noise{1, 0, bad};
    EXPECT_FALSE(simulate(computing(1, 1), platform));
  }
}

}  // namespace
}  // namespace parcast::simulate
