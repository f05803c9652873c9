// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers that are identical on all platforms. The standard library specifies its generators but not
// its distributions. The generator is xoshiro256** (Blackman and Vigna 2018); splitmix64 fills its state from
// the seed.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace parcast::statistics {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Returns 0 <= x < 1, a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Returns 0 <= k < bound, without bias; bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t draw = next();
    while (draw < unfair) draw = next();
    return draw % bound;
  }

  /// Returns a standard normal number (Box and Muller 1958), one per call.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  /// Returns an exponential number of mean 1.
  double exponential() { return -std::log(1 - uniform()); }

 private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace parcast::statistics
