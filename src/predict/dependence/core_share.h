// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a process does that has a part of a core anew in each period: a constant bandwidth server (docs/models/core_share.md; Abeni, Buttazzo
// 1998). Times are whole picoseconds.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "machine/machine.h"

namespace parcast::dependence {

/// What a process has of a core: `part` of each `period`.
struct CoreShare {
  double part = 1;  // in (0, 1]; 1: a whole core
  std::int64_t period = 0;

  bool whole() const { return part >= 1; }
  /// Processor time in a stretch during which it always works.
  std::int64_t of(std::int64_t time) const { return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(time) * part)); }
  /// Processor time of one period, at least 1 ps.
  std::int64_t budget() const { return std::max<std::int64_t>(1, of(period)); }
};

/// A whole core where the machine does not say otherwise.
CoreShare share_of(const machine::Machine& machine);

/// What an answer assumes that counts shares; empty: processes have whole cores.
std::string share_sentence(const machine::Machine& machine);
/// Why collectives go by messages then.
inline constexpr const char* kCollectivesByMessages = "collectives are the messages of their algorithms, since tables do not tell where processes wait and save their share";

/// What a process may still do of its share until its period ends; since `busy_until` it is idle.
struct Budget {
  std::int64_t left = 0, period_ends = 0, busy_until = 0;

  Budget() = default;
  explicit Budget(const CoreShare& share) : left(share.budget()), period_ends(share.period) {}

  /// When it is done, beginning now, with what takes so long of a process that always works: at the speed of a whole core as long as its
  /// budget lasts, and then from the next period on.
  std::int64_t work(const CoreShare& share, std::int64_t now, std::int64_t told) {
    const std::int64_t budget = share.budget();
    const bool woke = now > busy_until;
    if (woke && (now >= period_ends || left > share.of(period_ends - now))) left = budget, period_ends = now + share.period;
    std::int64_t needed = share.of(told);
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

  /// So long it is neither idle nor at work: its period waits meanwhile.
  void hold(std::int64_t time) { busy_until += time, period_ends += time; }
};

}  // namespace parcast::dependence
