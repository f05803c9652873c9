// SPDX-License-Identifier: Apache-2.0
#pragma once
// Execution of a process that receives a part of a core in each period: a constant bandwidth server
// (docs/models/core_share.md; Abeni, Buttazzo 1998). Times are integer picoseconds.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "machine/machine.h"

namespace parcast::dependence {

/// Share of a core: `part` of each `period`.
struct CoreShare {
  double part = 1;  // in (0, 1]; 1: a complete core
  std::int64_t period = 0;

  bool whole() const { return part >= 1; }
  /// Returns the processor time in an interval during which the process always works.
  std::int64_t of(std::int64_t time) const {
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(time) * part));
  }
  /// Returns the processor time of one period, at least 1 ps.
  std::int64_t budget() const { return std::max<std::int64_t>(1, of(period)); }
};

/// Returns the machine's share; a complete core when the machine does not define one.
CoreShare share_of(const machine::Machine& machine);

/// Returns the assumption of an answer that counts shares; empty: processes have complete cores.
std::string share_sentence(const machine::Machine& machine);
/// The reason for simulating collectives as messages when processes have shares.
inline constexpr const char* kCollectivesByMessages =
    "collectives are the messages of their algorithms, since tables do not show where processes wait and "
    "save their share";

/// Processor time left to a process until its period ends; it is idle after `busy_until`.
struct Budget {
  std::int64_t left = 0, period_ends = 0, busy_until = 0;

  Budget() = default;
  explicit Budget(const CoreShare& share) : left(share.budget()), period_ends(share.period) {}

  /// Performs work that takes the time `given` when a process always works, beginning at `now`. Returns the
  /// end. The process runs at the speed of a complete core while its budget lasts, and then continues in the
  /// next period.
  std::int64_t work(const CoreShare& share, std::int64_t now, std::int64_t given) {
    const std::int64_t budget = share.budget();
    const bool woke = now > busy_until;
    if (woke && (now >= period_ends || left > share.of(period_ends - now)))
      left = budget, period_ends = now + share.period;
    std::int64_t needed = share.of(given);
    if (needed <= left) {
      now += needed, left -= needed;
    } else {
      needed -= left;
      const std::int64_t used_up = (needed - 1) / budget;  // periods
      now = period_ends + used_up * share.period + (needed - used_up * budget);
      period_ends += (used_up + 1) * share.period;
      left = (used_up + 1) * budget - needed;
    }
    return busy_until = now;
  }

  /// For `time`, the process is neither idle nor at work: its period is extended by it.
  void hold(std::int64_t time) { busy_until += time, period_ends += time; }
};

}  // namespace parcast::dependence
