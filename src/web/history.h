// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ended experiments, kept in the folder from one session to the next: a line of JSON for each.

#include <filesystem>
#include <vector>

#include "web/run.h"

namespace parcast::web {

inline constexpr const char* kHistoryFile = "parcast-ui.jsonl";
inline constexpr std::size_t kMostRuns = 200;                      // the newest are kept
inline constexpr std::size_t kMostHistory = std::size_t{8} << 20;  // bytes

/// Returns the runs of a folder, oldest first; none if there is no file, or one that no session wrote: it is
/// far too large. Skips lines that are no runs.
std::vector<Run> read_history(const std::filesystem::path& folder);

/// Writes the lines of the runs that have ended. Replaces the file at once.
Result<void> write_history(const std::filesystem::path& folder, const std::vector<Run>& runs);

}  // namespace parcast::web
