// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures computing: the processor time of this thread between start() and stop(), as the recorder does
// (record/mpi/clock.h). Fibres of a thread share its stopwatch.

#include <cstdint>

extern "C" {
#include "record/mpi/clock.h"
}

namespace parcast::collections {

class Stopwatch {
 public:
  /// Chooses the clocks of this process.
  static void prepare();
  /// Returns nanoseconds since the first call in this process.
  static double now();

  void start() {
    if (parcast_clock_lost(parcast_ticks() - start_)) read_processor();
    start_ = parcast_ticks();
  }
  /// Returns nanoseconds of computing since start().
  double stop() {
    const std::uint64_t end = parcast_ticks();
    if (parcast_clock_lost(end - start_)) return stop_after_loss();
    return span(start_, end);
  }

 private:
  static double span(std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(static_cast<std::int64_t>(to - from)) * parcast_clock.nanoseconds_per_tick;
  }
  double stop_after_loss();
  void read_processor();

  std::uint64_t start_ = 0;
  // the processor clock, in nanoseconds, and the ticks of that moment
  double processor_time_ = 0;
  std::uint64_t processor_ticks_ = 0;
};

}  // namespace parcast::collections
