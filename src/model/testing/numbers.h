// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace parcast::program::testing {

/// A fixed sequence of numbers in [0, 1), the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2862933555777941757ULL + 3037000493ULL) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace parcast::program::testing
