// SPDX-License-Identifier: Apache-2.0
#pragma once
// The resolution of a clock.

#include <cstdint>
#include <numeric>
#include <span>

namespace parcast::calibrate {

/// Returns the step of a clock from successive readings: the greatest common divisor of their differences. 0
/// if all readings are equal.
inline std::int64_t clock_step(std::span<const std::int64_t> readings) {
  std::int64_t step = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) step = std::gcd(step, readings[i] - readings[i - 1]);
  return step;
}

}  // namespace parcast::calibrate
