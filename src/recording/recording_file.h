// SPDX-License-Identifier: Apache-2.0
#pragma once
// meta.json of a recording: facts that the launcher has and no rank. Together with the rank files it gives
// the Recording that read_recording returns. Without meta.json, the ranks' own facts are used.
//
//   {"schema": "parcast.recording/1", "program": "lmp", "command": ["mpirun", "-n", "4", "lmp", "-in",
//    "in.lj"], "processes": 4, "parameters": {"n": 64}, "started": "2026-11-20T10:00:00Z", "exit_code": 0,
//    "launch_seconds": 12.4, ...}

#include "recording/recording.h"

namespace parcast::recording {

/// Prefix of subfolders that are recordings themselves (format.h: PARCAST_WORLD_LINK).
constexpr const char* kWorldPrefix = "world-";
/// Returns the names of these subfolders in a folder.
std::vector<std::string> worlds_in(const std::filesystem::path& folder);

/// Writes meta.json into the folder; replaces an existing one.
Result<void> write_meta(const std::filesystem::path& folder, const Recording& recording);

}  // namespace parcast::recording
