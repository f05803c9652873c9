// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording's events by class: each call of MPI in each region, and the computing in between. Two runs are compared by it,
// a predicted and a measured one for example.

#include <cstdint>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

struct EventClass {
  std::string region;           // path
  std::string call;             // "": computing
  std::uint64_t count = 0;      // calls of all ranks; of computing stretches that are longer than nothing
  double seconds = 0;           // of all ranks
};

/// In order of region and call. Computing belongs to the region of the call of MPI that follows it, behind the last call to
/// that of this one: so that recordings with and without marks of regions are cut alike. Marks are no calls
/// here, nor are MPI_Init and MPI_Finalize: a run lasts from the return of one to the entry of the other.
std::vector<EventClass> event_classes(const Recording& recording);

struct ClassPair {
  std::string region, call;
  EventClass a, b;              // counts and seconds; 0 where one has none such
};
/// The longest first (of both together).
std::vector<ClassPair> pair_classes(const Recording& a, const Recording& b);
std::vector<ClassPair> pair_classes(const std::vector<EventClass>& a, const std::vector<EventClass>& b);

/// From the first rank's MPI_Init to the last one's MPI_Finalize: the longest wall time of a rank, in seconds.
double longest_wall(const Recording& recording);

}  // namespace parcast::recording
