// SPDX-License-Identifier: Apache-2.0
#pragma once
// meta.json of a recording: what the launcher knows and no rank does. Together with the rank files it makes the Recording
// that read_recording gives; without it, what the ranks know stands in.
//
//   {"schema": "parcast.recording/1", "program": "lmp", "command": ["mpirun", "-n", "4", "lmp", "-in", "in.lj"], "processes": 4,
//    "parameters": {"n": 64}, "started": "2026-11-20T10:00:00Z", "exit_code": 0, "launch_seconds": 12.4, ...}

#include "recording/recording.h"

namespace parcast::recording {

/// Subfolders of a recording that are recordings themselves begin so (format.h: PARCAST_WORLD_LINK).
constexpr const char* kWorldPrefix = "world-";
/// Those of a folder.
std::vector<std::string> worlds_in(const std::filesystem::path& folder);

/// Writes meta.json into the folder; replaces an older one.
Result<void> write_meta(const std::filesystem::path& folder, const Recording& recording);

}  // namespace parcast::recording
