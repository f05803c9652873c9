// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "recording/records.h"

namespace parcast::recording {

/// Converts ticks to nanoseconds since MPI_Init's return, from two moments at which both clocks were read.
class TimeScale {
  __extension__ using Wide = __int128;

 public:
  TimeScale(const parcast_header& header, LossList& losses) : zero_(header.init_exit) {
    const std::uint64_t last = live_value(header, PARCAST_LIVE_LAST_TICKS, losses);
    const std::uint64_t last_nanoseconds = live_value(header, PARCAST_LIVE_LAST_NANOSECONDS, losses);
    use(header.early_ticks, header.early_nanoseconds, header.first_ticks, header.first_nanoseconds);
    use(header.early_ticks, header.early_nanoseconds, last, last_nanoseconds);
    if (ticks_ == 0) {
      losses.add("the clock could not be calibrated; ticks are taken for nanoseconds");
      ticks_ = nanoseconds_ = 1;
    }
  }

  double frequency() const { return static_cast<double>(ticks_) / static_cast<double>(nanoseconds_) * 1e9; }
  std::int64_t at(std::uint64_t ticks) const { return span(zero_, ticks); }
  std::int64_t span(std::uint64_t from, std::uint64_t to) const {
    const Wide scaled = (Wide{to} - Wide{from}) * nanoseconds_ / ticks_;
    constexpr Wide kFar = Wide{1} << 62;
    return static_cast<std::int64_t>(std::clamp(scaled, -kFar, kFar));
  }

 private:
  /// Uses two moments for the scale if their times differ and they give a plausible clock rate.
  void use(std::uint64_t ticks0, std::uint64_t nanoseconds0, std::uint64_t ticks1,
           std::uint64_t nanoseconds1) {
    if (ticks1 <= ticks0 || nanoseconds1 <= nanoseconds0) return;
    const std::uint64_t ticks = ticks1 - ticks0, nanoseconds = nanoseconds1 - nanoseconds0;
    if (ticks > (1ull << 62) || nanoseconds > (1ull << 62)) return;
    const double rate = static_cast<double>(ticks) / static_cast<double>(nanoseconds);
    if (rate < 1e-3 || rate > 100) return;
    ticks_ = static_cast<std::int64_t>(ticks);
    nanoseconds_ = static_cast<std::int64_t>(nanoseconds);
  }

  std::uint64_t zero_;
  std::int64_t ticks_ = 0, nanoseconds_ = 0;
};

}  // namespace parcast::recording
