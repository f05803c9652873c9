// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run that would never end, as an answer: which ranks wait, in which calls, and for whom.

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/trace.h"
#include "trace/waiting.h"

namespace parcast::predict {

struct Hang {
  std::shared_ptr<const trace::Trace> trace;  // what the ranks do, in order
  std::vector<trace::Waiting> waiting;        // by rank, never empty
  std::vector<std::int32_t> circle;           // ranks that wait for each other, in order; empty: none
  bool by_choice = false;                     // messages that arrive in another order might let them go on

  /// Whether a rank has done all that it does.
  bool has_finished(std::int32_t rank) const {
    for (const trace::Waiting& each : waiting)
      if (each.rank == rank) return false;
    return true;
  }
};

}  // namespace parcast::predict
