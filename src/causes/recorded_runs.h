// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording as one run of phases: computation by region, communication by region and call of MPI, and idle the time off the
// processor. The phases of a process tile its time from MPI_Init's return to MPI_Finalize's entry to the nanosecond.

#include <string>
#include <string_view>

#include "causes/runs.h"
#include "recording/recording.h"

namespace parcast::causes {

/// The name of the idle phase of a process that wants to run and may not.
inline constexpr std::string_view kOffProcessor = "off the processor";

/// "lj on 4 processes"
std::string name_of(const recording::Recording& recording);

/// Fails where a process has no recording.
Result<void> check_whole(const recording::Recording& recording);

/// Variables: work is bytes and messages of calls; events are page_faults, major_faults, context_switches and cache_misses of regions where they
/// were sampled. Only what the thread that initialised MPI does is a phase; of other threads the notes tell. Fails where a
/// process has no recording.
Result<Runs> recorded_runs(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::causes
