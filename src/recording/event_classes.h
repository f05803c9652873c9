// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups a recording's events into classes: each call of MPI in each region, and the computing in between.
// Two runs, for example a predicted and a measured one, are compared by these classes.

#include <cstdint>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

struct EventClass {
  std::string region;       // path
  std::string call;         // empty: computing
  std::uint64_t count = 0;  // calls on all ranks; of computing: intervals longer than 0
  double seconds = 0;       // sum over all ranks
};

/// Returns the classes in order of region and call. Computing belongs to the region of the MPI call that
/// follows it; computing after the last call belongs to the region of that last call. So recordings with and
/// without region marks are divided alike. Marks do not count as calls here, nor do MPI_Init and
/// MPI_Finalize: a run lasts from the return of MPI_Init to the entry of MPI_Finalize.
std::vector<EventClass> event_classes(const Recording& recording);

struct ClassPair {
  std::string region, call;
  EventClass a, b;  // counts and seconds; 0 when a recording has no such events
};
/// Pairs the classes of two recordings. The longest class (sum of both) comes first.
std::vector<ClassPair> pair_classes(const Recording& a, const Recording& b);
std::vector<ClassPair> pair_classes(const std::vector<EventClass>& a, const std::vector<EventClass>& b);

/// Returns the longest wall time of a rank, in seconds, from the return of MPI_Init to the entry of
/// MPI_Finalize.
double longest_wall(const Recording& recording);

}  // namespace parcast::recording
