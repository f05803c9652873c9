// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums up where one process spent its time and what it sent, by region.

#include <cstdint>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

/// Sums of one process in one region, excluding nested regions.
struct RegionSums {
  std::uint64_t calls = 0;                        // without calls that mark regions
  std::uint64_t messages = 0, message_bytes = 0;  // sent point to point
  std::uint64_t collective_bytes = 0;             // sum of collective_volume
  // nanoseconds: the process's computing (process_time.h), and the time in the first thread's calls
  double compute = 0, inside = 0;
};

/// Returns the sums by index of `regions`. Computing before a call counts in the region of the call;
/// computing before a region's begin counts in the enclosing region. The time of MPI_Init and MPI_Finalize is
/// excluded.
std::vector<RegionSums> sums_by_region(const Recording& recording, const RankRecording& rank);

}  // namespace parcast::recording
