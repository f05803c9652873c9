// SPDX-License-Identifier: Apache-2.0
#pragma once
// The resource use of regions and phases: page faults, switches, memory, hardware counters.

#include <string>

#include "recording/recording.h"
#include "report/style.h"

namespace parcast::report {

/// Returns a line per region, sums over ranks and threads, those with the most page faults first; empty if
/// nothing was recorded.
std::string usage_table(const recording::Recording& recording, const Style& style);
/// Returns the same per phase that the program marked, without memory.
std::string phase_usage_table(const recording::Recording& recording, const Style& style);

}  // namespace parcast::report
