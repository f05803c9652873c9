// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sampled noise of computing: a random factor for every piece of computing, and a lasting one for every rank.
// A factor depends only on the seed, the rank and the number of pieces that the rank has computed. It does
// not depend on the order of simulation, threads, compiler or library. docs/models/sampled_noise.md.

#include <cstdint>

#include "trace/trace.h"

namespace parcast::simulate {

/// Relative standard deviations of factors with mean 1; at most kMostNoise.
struct Noise {
  std::uint64_t seed = 0;
  double each = 0;     // of every piece of computing, independent
  double lasting = 0;  // of a rank
};
inline constexpr double kMostNoise = 10;

/// The noise of one rank.
class NoiseOfRank {
 public:
  NoiseOfRank() = default;
  NoiseOfRank(const Noise& noise, std::int32_t rank);
  /// Returns the duration of the next piece, which takes `time` without noise. Never above kLongest + 1.
  trace::Time next(trace::Time time);

 private:
  std::uint64_t key_ = 0, pieces_ = 0;
  double spread_ = 0;                             // sigma of the logarithm
  std::int64_t lasting_ = std::int64_t{1} << 32;  // factor as a multiple of 2^-32
};

/// Returns number `index` of the stream: uniform over 64 bits (SplitMix64, Steele, Lea and Flood 2014, with
/// random access).
std::uint64_t random_bits(std::uint64_t key, std::uint64_t index);

/// Returns factor number `index` as a multiple of 2^-32: exp(s z - s^2 / 2), z standard normal.
std::int64_t random_factor(std::uint64_t key, std::uint64_t index, double spread);

/// Returns s of the logarithm for a relative standard deviation x: sqrt(ln(1 + x^2)).
double spread_of(double relative);

}  // namespace parcast::simulate
