// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time on one host: nanoseconds of the monotonic clock, and waits that disturb other processes as little as
// possible.

#include <sys/prctl.h>
#include <time.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "calibrate/resolution.h"

namespace parcast::training {

using Nanoseconds = std::int64_t;

inline Nanoseconds now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<Nanoseconds>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

/// Returns the processor time of this thread.
inline Nanoseconds processor_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<Nanoseconds>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

constexpr Nanoseconds kLongWait = 400'000;   // for longer waits a process sleeps
constexpr Nanoseconds kWakeBefore = 30'000;  // it wakes this long before the moment, and spins

/// Sleeps while the moment is far, then spins. On machines where a process has only a share of a core, longer
/// spinning would use up that share.
inline Nanoseconds wait_until(Nanoseconds moment) {
  Nanoseconds t = now();
  if (moment - t > kLongWait) {
    const Nanoseconds wake = moment - kWakeBefore;
    const timespec until{static_cast<time_t>(wake / 1'000'000'000), static_cast<long>(wake % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  while ((t = now()) < moment) {
  }
  return t;
}

/// Makes sleeps end on time, instead of letting the kernel group them.
inline void wake_on_time() {
  prctl(PR_SET_TIMERSLACK, 1UL);
}

/// Returns the seconds that reading the clock takes, which are part of every measured interval. It averages
/// over many readings, because a step of the clock may be longer.
inline double clock_overhead() {
  constexpr int kReadings = 100;
  Nanoseconds least = 1'000'000;
  for (int i = 0; i < 50; ++i) {
    const Nanoseconds begun = now();
    Nanoseconds last = begun;
    for (int k = 0; k < kReadings; ++k) last = now();
    if (last - begun < least) least = last - begun;
  }
  return static_cast<double>(least) * 1e-9 / kReadings;
}

/// Returns the uncertainty of a time difference in seconds: the standard error of a uniform distribution over
/// one step.
inline double clock_error() {
  std::vector<Nanoseconds> readings(2000);
  for (Nanoseconds& each : readings) each = now();
  return static_cast<double>(calibrate::clock_step(readings)) * 1e-9 / std::sqrt(12.0);
}

}  // namespace parcast::training
