// SPDX-License-Identifier: Apache-2.0
#pragma once
// What regions and phases used besides time: page faults, switches, memory, hardware counters.

#include <string>

#include "recording/recording.h"
#include "report/style.h"

namespace parcast::report {

/// A line per region, sums over ranks and threads, those with the most page faults; empty where nothing was recorded.
std::string usage_table(const recording::Recording& recording, const Style& style);
/// The same per phase that the program told, without memory.
std::string phase_usage_table(const recording::Recording& recording, const Style& style);

}  // namespace parcast::report
