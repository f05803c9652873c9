// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts that follow from the arrays of a run and the memory of a machine (Clement and Quinn 1997, section 3.2; docs/models/memory.md): an array
// of which a process holds more than a cache's capacity misses whole in it, and pages fault when a node's processes hold more than its memory.
//
//   portion of a process   traffic     misses_L1   misses_L2     L1 of 32 kB, L2 of 1 MB, lines of 64 bytes
//   20 kB                    640 MB            0           0
//   200 kB                   640 MB        1.0e7           0
//   2 MB                     640 MB        1.0e7       1.0e7

#include <vector>

#include "machine/machine.h"
#include "regress/runs.h"

namespace parcast::regress {

/// What the traffic of arrays becomes.
enum class LineariseBy {
  misses,     // a count for each cache, misses_NAME: costs are found for each (equation 2)
  bandwidth,  // seconds by the bandwidth of the level that holds each array, as one count `memory` (equation 1)
  curve,      // the same by the machine's measured sweep, between its points
};

inline constexpr const char* kMemory = "memory";      // seconds of the machine: its cost is how many times slower these runs were
inline constexpr const char* kMisses = "misses_";     // of a cache: misses_L1

/// Appends these counts, and page_faults (regress/machine.h), to the runs and to those asked about, fills what each array misses and whose memory
/// is exceeded, warns of these, and takes the arrays for counted. Counts that none of all these runs has are left out, which a note says.
/// Fails where the runs have no arrays or a count of such a name, and where the machine does not tell what is asked of it.
Result<void> linearise(Runs& runs, std::vector<Run>& asked, const machine::Machine& machine, LineariseBy by);

}  // namespace parcast::regress
