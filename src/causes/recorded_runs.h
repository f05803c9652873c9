// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts a recording to one run of phases: computation by region, communication by region and MPI call, and
// as idle time the time off the processor. The phases of a process tile its time from MPI_Init's return to
// MPI_Finalize's entry to the nanosecond.

#include <string>
#include <string_view>

#include "causes/runs.h"
#include "recording/recording.h"

namespace parcast::causes {

/// The name of the idle phase of a process that is ready to run but has no processor.
inline constexpr std::string_view kOffProcessor = "off the processor";

/// Returns e.g. "lj on 4 processes".
std::string name_of(const recording::Recording& recording);

/// Fails if a process has no recording.
Result<void> check_whole(const recording::Recording& recording);

/// Returns the runs. Work variables are bytes and messages of calls. Events are page_faults, major_faults,
/// context_switches and cache_misses of regions, where they were sampled. Phases cover only the thread that
/// initialised MPI; notes mention other threads. Fails if a process has no recording.
Result<Runs> recorded_runs(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::causes
