// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts derived from the arrays of a run and the memory of a machine (Clement and Quinn 1997, section 3.2;
// docs/models/memory.md). If a process holds more of an array than a cache's capacity, all traffic of the
// array misses in it. Pages fault if a node's processes hold more than its memory.
//
//   portion of a process   traffic     misses_L1   misses_L2     L1 of 32 kB, L2 of 1 MB, lines of 64 bytes
//   20 kB                    640 MB            0           0
//   200 kB                   640 MB        1.0e7           0
//   2 MB                     640 MB        1.0e7       1.0e7

#include <vector>

#include "machine/machine.h"
#include "regress/runs.h"

namespace parcast::regress {

/// How the traffic of arrays is counted.
enum class LineariseBy {
  misses,  // a count for each cache, misses_NAME: each gets its own cost (equation 2)
  // seconds by the bandwidth of the level that holds each array, as one count `memory` (equation 1)
  bandwidth,
  curve,  // the same by the machine's measured sweep, interpolated
};

// seconds of the machine: its cost is the factor by which these runs were slower
inline constexpr const char* kMemory = "memory";
inline constexpr const char* kMisses = "misses_";  // followed by the cache: misses_L1

/// Appends these counts, and page_faults (regress/machine.h), to the runs and to `asked`. Sets the misses of
/// each array and memory_exceeded, warns of exceeded memory, and marks the arrays as counted. Counts that are
/// 0 in all runs are left out, with a note. Fails if the runs have no arrays, or already have a count of such
/// a name, and if the machine lacks the data.
Result<void> linearise(Runs& runs, std::vector<Run>& asked, const machine::Machine& machine, LineariseBy by);

}  // namespace parcast::regress
