// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing that leaves memory and MPI alone, in equal steps.

#include <algorithm>

#include "calibrate/training/clock.h"

namespace parcast::training {

/// Work begins with it and ends in it, so that it can be neither left out nor done before.
inline volatile double kept = 1;

/// Each step needs the result of the one before.
inline void work(std::int64_t steps) {
  double x = kept;
  for (std::int64_t i = 0; i < steps; ++i) x = x * 0.999999999 + 1e-9;
  kept = x;
}

/// Steps that take about `seconds`, by the quickest of some tries.
inline std::int64_t steps_in(double seconds) {
  constexpr std::int64_t kTried = 20'000;
  Nanoseconds least = 1'000'000'000;
  for (int i = 0; i < 10; ++i) {
    const Nanoseconds start = now();
    work(kTried);
    least = std::min(least, now() - start);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds * 1e9 * kTried / static_cast<double>(std::max<Nanoseconds>(least, 1))));
}

}  // namespace parcast::training
