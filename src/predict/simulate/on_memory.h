// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engine state for ranks that share memory (docs/models/memory_contention.md): which ranks compute, and how
// long they would take alone.

#include <vector>

#include "predict/simulate/computing_domains.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {

struct OnMemory {
  /// With `recorded`, pieces take the times of the trace, and `found` receives the times that they would take
  /// alone. Otherwise `found` provides the times alone. Pieces beyond its end, and all pieces when `found` is
  /// null, take the trace's time alone.
  OnMemory(const Contention& of, std::size_t ranks, bool recorded, Works* found)
      : contention(of), domains(of, ranks), as_recorded(recorded), works(found), lost(ranks) {}

  /// Returns the time alone of a rank's next piece, from the trace or from `works`.
  Work alone(std::int32_t rank, Time given) {
    Work work = work_of(given);
    if (works && !as_recorded) (*works)[static_cast<std::size_t>(rank)].next(work);
    return work;
  }
  /// Sets the outcome's RankOutcome::contention and `contended`.
  void report(Outcome& outcome) const;

  const Contention& contention;
  ComputingDomains domains;
  bool as_recorded = false;
  Works* works = nullptr;
  std::vector<Time> lost;  // of each rank: time lost by sharing
};

}  // namespace parcast::simulate
