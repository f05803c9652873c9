// SPDX-License-Identifier: Apache-2.0
#pragma once
// How finely a clock tells time.

#include <cstdint>
#include <numeric>
#include <span>

namespace parcast::calibrate {

/// The step in which a clock goes on, from readings in a row: what divides all their differences. 0 for readings that are all the same.
inline std::int64_t clock_step(std::span<const std::int64_t> readings) {
  std::int64_t step = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) step = std::gcd(step, readings[i] - readings[i - 1]);
  return step;
}

}  // namespace parcast::calibrate
