// SPDX-License-Identifier: Apache-2.0
#pragma once
// The content of a trace, as text and as JSON (parcast.trace/1).

#include <string>

#include "report/style.h"
#include "trace/trace.h"

namespace parcast::report {

/// Returns ranks, operations by kind, computing, and the degree of folding.
std::string trace_text(const trace::Trace& trace, const Style& style);
std::string trace_to_json(const trace::Trace& trace);

/// Sums over all ranks, with loops unrolled.
struct TraceSums {
  std::uint64_t sends = 0, receives = 0, waits = 0, collectives = 0, accesses = 0, probes = 0, locks = 0,
                unlocks = 0, computes = 0, words = 0;
  double compute_seconds = 0, bytes = 0;
};
TraceSums sums_of(const trace::Trace& trace);

}  // namespace parcast::report
