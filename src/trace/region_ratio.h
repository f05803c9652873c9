// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers what would happen if a part of the program computed faster or slower: changes computing times of a
// trace by region.

#include <span>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace parcast::trace {

struct RegionRatio {
  // a region or part of a path ("solve", "main/solve"), a function that calls MPI, or the line of a call
  // ("solve.c:97")
  std::string region;
  double ratio = 1;  // new time / old time, >= 0
};

/// Scales computing times. Computing belongs to the call that follows it, and computing after a rank's last
/// call to that last call, as in profiles. A call that lies in several of the regions gets the product of
/// their ratios. Loops stay loops; a round that computes for a different region than the other rounds is
/// written separately. Times are rounded to picoseconds. Fails for a region without calls, naming the
/// existing regions, and for ratios or times out of range; the trace is then unchanged.
Result<void> scale_regions(Trace& trace, std::span<const RegionRatio> ratios);

}  // namespace parcast::trace
