// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of programs with a probe as runs: the phases that the program told, with its operations and quantums. They tile
// each process's time line, the wait at the end included (docs/models/phases.md), so overhead ratios are the paper's.

#include <vector>

#include "causes/runs.h"
#include "recording/recording.h"

namespace parcast::causes {

/// Whether every process of every recording told phases.
bool all_told_phases(const std::vector<recording::Recording>& recordings);

/// Variables: operations and quantums, both work; a phase that made none has none measured. Events are page_faults, major_faults, context_switches
/// and cache_misses, where they were recorded. Fails where a process has no recording.
Result<Runs> probed_runs(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::causes
