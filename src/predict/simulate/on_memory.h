// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the engine keeps where ranks share memory (docs/models/memory_contention.md): who computes, and how long they would take alone.

#include <vector>

#include "predict/simulate/computing_domains.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {

struct OnMemory {
  /// `recorded`: pieces take the time that the trace says, and `found` gets what they would take alone. Else `found` has that, as far as it goes;
  /// a piece beyond it, and every piece where `found` is null, would take alone what the trace says.
  OnMemory(const Contention& of, std::size_t ranks, bool recorded, Works* found) : contention(of), domains(of, ranks), as_recorded(recorded), works(found), lost(ranks) {}

  /// What a rank's next piece would take alone, by the trace's time or as it was found.
  Work alone(std::int32_t rank, Time told) {
    Work work = work_of(told);
    if (works && !as_recorded) (*works)[static_cast<std::size_t>(rank)].next(work);
    return work;
  }
  /// The outcome's RankOutcome::contention and `contended`.
  void report(Outcome& outcome) const;

  const Contention& contention;
  ComputingDomains domains;
  bool as_recorded = false;
  Works* works = nullptr;
  std::vector<Time> lost;   // of each rank: by sharing
};

}  // namespace parcast::simulate
