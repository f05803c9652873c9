// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time on one host: nanoseconds of the monotonic clock, and waiting for a moment without disturbing others
// for longer than needed.

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

/// Processor time of this thread.
inline Nanoseconds processor_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<Nanoseconds>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

constexpr Nanoseconds kLongWait = 400'000;   // beyond this a process sleeps
constexpr Nanoseconds kWakeBefore = 30'000;  // and wakes this long before the moment, to spin

/// Sleeps while the moment is far, then spins: on machines where a process owns only a share of a core,
/// spinning for long would spend that share.
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

/// Lets sleeps end on time instead of being gathered by the kernel.
inline void wake_on_time() {
  prctl(PR_SET_TIMERSLACK, 1UL);
}

/// Seconds that reading the clock takes, and so a part of every interval measured: over many readings, since a clock may go in steps that are
/// longer than that.
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

/// What a difference of two times is unsure by, in seconds: as a standard error, that of one step spread evenly.
inline double clock_error() {
  std::vector<Nanoseconds> readings(2000);
  for (Nanoseconds& each : readings) each = now();
  return static_cast<double>(calibrate::clock_step(readings)) * 1e-9 / std::sqrt(12.0);
}

}  // namespace parcast::training
