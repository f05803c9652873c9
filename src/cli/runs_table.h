// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured runs for `parcast explain --why`: recordings, or a table with a row per process and phase.
//
//   n,p,process,kind,phase,seconds,operations,quantums,swapped
//   3800,1,0,computation,,13.7,5.49e10,,0
//
// Columns: p (or processes), process (or rank; 0 without it), kind, seconds. Optional columns: run (a name
// for runs at the same point), phase (the developer's own name), ideal_seconds (of the run on an ideal
// network), and the variables of kKnownVariables and of `further`. All other columns are parameters. An empty
// field means: not measured.

#include <string>
#include <vector>

#include "base/csv.h"
#include "causes/runs.h"
#include "recording/recording.h"

namespace parcast::cli {

/// Reads the table. Fails on a missing column, a field that is no number, a phase given twice, and what
/// causes::check rejects; the error names file and line.
Result<causes::Runs> runs_from(const Csv& csv, const std::vector<std::string>& further);

/// Converts recordings, with their times on an ideal network.
Result<causes::Runs> runs_of(const std::vector<recording::Recording>& recordings);

/// Loads recordings, or one table. A recording's time on an ideal network is that of its replay
/// (docs/models/message_passing.md).
Result<causes::Runs> load_runs(const std::vector<std::string>& inputs,
                               const std::vector<std::string>& further);

}  // namespace parcast::cli
