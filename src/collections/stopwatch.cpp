// SPDX-License-Identifier: Apache-2.0
#include "collections/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace parcast::collections {
namespace {
std::uint64_t first_ticks;
}  // namespace

/// The length of a tick comes from two readings of both clocks, 5 ms apart.
void Stopwatch::prepare() {
  static std::once_flag once;
  std::call_once(once, [] {
    parcast_clock_choose();
    std::uint64_t ticks0 = 0, ticks1 = 0, nanoseconds0 = 0, nanoseconds1 = 0;
    parcast_clock_both(&ticks0, &nanoseconds0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    parcast_clock_both(&ticks1, &nanoseconds1);
    if (ticks1 > ticks0)
      parcast_clock.nanoseconds_per_tick =
          static_cast<double>(nanoseconds1 - nanoseconds0) / static_cast<double>(ticks1 - ticks0);
    parcast_clock.long_interval = static_cast<std::uint64_t>(50e3 / parcast_clock.nanoseconds_per_tick);
    first_ticks = parcast_ticks();
  });
}

double Stopwatch::now() {
  return span(first_ticks, parcast_ticks());
}

double Stopwatch::stop_after_loss() {
  const double began = processor_time_ + span(processor_ticks_, start_);
  read_processor();
  return std::max(0.0, processor_time_ - began);
}

/// Reads the processor clock and the ticks of one moment, with the flag set since before that moment.
void Stopwatch::read_processor() {
  for (int i = 0; i < 3; ++i) {
    parcast_clock_arm();
    const std::uint64_t before = parcast_ticks();
    processor_time_ = static_cast<double>(parcast_nanoseconds(CLOCK_THREAD_CPUTIME_ID));
    processor_ticks_ = before + (parcast_ticks() - before) / 2;
    if (!parcast_clock_lost(0)) return;
  }
}

}  // namespace parcast::collections
