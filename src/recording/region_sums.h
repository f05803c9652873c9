// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where one process spent its time and what it sent, region by region.

#include <cstdint>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

/// What one process did in one region, without the regions inside.
struct RegionSums {
  std::uint64_t calls = 0;              // without those that mark regions
  std::uint64_t messages = 0, message_bytes = 0;  // sent, point to point
  std::uint64_t collective_bytes = 0;   // sum of collective_volume
  double compute = 0, inside = 0;       // nanoseconds: the process's computing (process_time.h), and the first thread's calls
};

/// By index of `regions`. Computing before a call counts where the call stands, before a region's begin around that region.
/// What MPI_Init and MPI_Finalize take is not in it.
std::vector<RegionSums> sums_by_region(const Recording& recording, const RankRecording& rank);

}  // namespace parcast::recording
