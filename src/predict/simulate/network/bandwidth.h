// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer units of flows: rates in 2^-16 bytes per second, amounts in 2^-16 picobytes, so that rate times
// picoseconds is exactly an amount. docs/models/network.md, "Units".

#include <cstdint>
#include <limits>

#include "trace/trace.h"

namespace parcast::simulate::network {

using trace::Time;
__extension__ using Amount = unsigned __int128;  // of bytes, times 10^12 * 2^16
using Bandwidth = std::int64_t;                  // bytes per second, times 2^16

inline constexpr Bandwidth kPerBytePerSecond = Bandwidth{1} << 16;
inline constexpr Bandwidth kUnbounded = Bandwidth{1} << 62;
/// Below, a flow could get a share of zero; above, a rate would not fit.
inline constexpr double kLeastBandwidth = 1e6, kMostBandwidth = 6e13;  // bytes per second
inline constexpr Time kNever = std::numeric_limits<Time>::max();

constexpr Amount amount_of(std::uint64_t bytes) {
  return Amount{bytes} * 1'000'000'000'000u << 16;
}

/// Returns the rate of a stream that takes `picoseconds_per_byte` / 2^32 picoseconds per byte (G), rounded
/// up. Unbounded for 0.
constexpr Bandwidth bandwidth_of(std::int64_t picoseconds_per_byte) {
  if (picoseconds_per_byte <= 0) return kUnbounded;
  const auto rate = static_cast<Amount>(picoseconds_per_byte);
  const Amount exact = ((Amount{1'000'000'000'000u} << 48) + rate - 1) / rate;
  return exact < static_cast<Amount>(kUnbounded) ? static_cast<Bandwidth>(exact) : kUnbounded;
}

}  // namespace parcast::simulate::network
