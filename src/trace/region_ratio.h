// SPDX-License-Identifier: Apache-2.0
#pragma once
// What if a part of the program computed faster or slower: computing times of a trace, changed by region.

#include <span>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace parcast::trace {

struct RegionRatio {
  std::string region;  // a region or part of a path ("solve", "main/solve"), a function that calls MPI, or the line of a call ("solve.c:97")
  double ratio = 1;    // time then / time now, >= 0
};

/// Computing belongs to the call that follows it, and what comes after a rank's last call to that one, as in profiles. Where calls lie in
/// several of the regions all their ratios count. Loops stay loops; a round that computes for another region than the others stands
/// alone. Times are rounded to picoseconds. An error for a region without calls, naming those there are, and for ratios or times out of range;
/// the trace is then as before.
Result<void> scale_regions(Trace& trace, std::span<const RegionRatio> ratios);

}  // namespace parcast::trace
