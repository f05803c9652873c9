// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts recordings of programs with a probe to runs. The phases are those that the program marked, with
// its operations and quantums. They tile each process's time line, including the wait at the end
// (docs/models/phases.md), so overhead ratios match the paper's.

#include <vector>

#include "causes/runs.h"
#include "recording/recording.h"

namespace parcast::causes {

/// Returns whether every process of every recording marked phases.
bool all_given_phases(const std::vector<recording::Recording>& recordings);

/// Returns the runs. Operations and quantums are work variables; they count as not measured in a phase that
/// made none. Events are page_faults, major_faults, context_switches and cache_misses, if they were recorded.
/// Fails if a process has no recording.
Result<Runs> probed_runs(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::causes
