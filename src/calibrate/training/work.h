// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computing in equal steps that uses neither memory nor MPI.

#include <algorithm>

#include "calibrate/training/clock.h"

namespace parcast::training {

/// Work reads it at its start and writes it at its end, so that the compiler can neither drop nor move the
/// work.
inline volatile double kept = 1;

/// Each step needs the result of the previous one.
inline void work(std::int64_t steps) {
  double x = kept;
  for (std::int64_t i = 0; i < steps; ++i) x = x * 0.999999999 + 1e-9;
  kept = x;
}

/// Returns the number of steps that take about `seconds`, from the fastest of several tries.
inline std::int64_t steps_in(double seconds) {
  constexpr std::int64_t kTried = 20'000;
  Nanoseconds least = 1'000'000'000;
  for (int i = 0; i < 10; ++i) {
    const Nanoseconds start = now();
    work(kTried);
    least = std::min(least, now() - start);
  }
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(seconds * 1e9 * kTried /
                                   static_cast<double>(std::max<Nanoseconds>(least, 1))));
}

}  // namespace parcast::training
