// SPDX-License-Identifier: Apache-2.0
#pragma once
// Phases in the JSON of a recording.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "recording/recording.h"

namespace parcast::report {

/// Returns [{"kind", "name", "executions", "seconds", "operations", "quantums"}]. Where resource use was
/// recorded, adds "page_faults", "major_faults", "context_switches", "voluntary_switches" (of these),
/// "cycles", "instructions", "cache_misses".
nlohmann::ordered_json phases_json(const std::vector<recording::PhaseSum>& sums);
/// Returns the phases of one rank in order: [{"kind", "name", "begin", "end", "operations", "quantums"}], in
/// seconds on the time line of its events. Each phase with resource use gives the use since the previous such
/// phase.
nlohmann::ordered_json time_line_json(const recording::RankRecording& rank);

}  // namespace parcast::report
