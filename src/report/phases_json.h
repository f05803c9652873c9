// SPDX-License-Identifier: Apache-2.0
#pragma once
// Phases within the JSON of a recording.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "recording/recording.h"

namespace parcast::report {

/// [{"kind", "name", "executions", "seconds", "operations", "quantums"}], and where it was recorded what was used: "page_faults", "major_faults",
/// "context_switches", "voluntary_switches" (of these), "cycles", "instructions", "cache_misses".
nlohmann::ordered_json phases_json(const std::vector<recording::PhaseSum>& sums);
/// Of one rank in order: [{"kind", "name", "begin", "end", "operations", "quantums"}], in seconds as its events are, and what was used since the last one of
/// which that stands there.
nlohmann::ordered_json time_line_json(const recording::RankRecording& rank);

}  // namespace parcast::report
