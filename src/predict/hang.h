// SPDX-License-Identifier: Apache-2.0
#pragma once
// A deadlocked run as an answer: the waiting ranks, their calls, and the ranks they wait for.

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/trace.h"
#include "trace/waiting.h"

namespace parcast::predict {

struct Hang {
  std::shared_ptr<const trace::Trace> trace;  // the operations of all ranks, in order
  std::vector<trace::Waiting> waiting;        // by rank; never empty
  std::vector<std::int32_t> circle;           // ranks that wait for each other, in order; empty: no cycle
  bool by_choice = false;  // another arrival order of the messages might avoid the deadlock

  /// Returns whether the rank has completed all its operations.
  bool has_finished(std::int32_t rank) const {
    for (const trace::Waiting& each : waiting)
      if (each.rank == rank) return false;
    return true;
  }
};

}  // namespace parcast::predict
