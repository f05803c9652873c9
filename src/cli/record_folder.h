// SPDX-License-Identifier: Apache-2.0
#pragma once
// The folder of a recording: hidden while the launch line runs, and under its final name once the recording
// is complete. The final name is taken by renaming, which succeeds for only one of several jobs. So jobs that
// start together in one folder get PROGRAM-1.recording, -2, ... one each.

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "cli/record_request.h"

namespace parcast::cli {

/// Creates a new hidden folder next to the later name, and returns its absolute path. Fails if -o names an
/// existing file.
Result<std::filesystem::path> working_folder(const RecordRequest& request);

/// Returns the hidden folders in the same place that an ended `parcast record` left, in order of name. A
/// running one holds a lock on its folder.
std::vector<std::filesystem::path> abandoned_folders(const std::filesystem::path& folder);

/// Gives the folder its name, -o or the first free PROGRAM-N.recording in the current folder, and returns
/// that name.
Result<std::filesystem::path> take_name(const std::filesystem::path& folder, const RecordRequest& request);
/// Renames the folder to the first free name in `parent`.
Result<std::filesystem::path> take_free_name(const std::filesystem::path& folder,
                                             const std::filesystem::path& parent, const std::string& program);

/// Renames further worlds to world-1, world-2, ... in the order of their start, and removes the marks that
/// distinguished them while they ran. A world that cannot be renamed keeps its name.
void number_worlds(const std::filesystem::path& folder);

/// Returns the reason why a rank could not create its file there; no error if it could.
std::error_code room_for_a_rank(const std::filesystem::path& folder);

}  // namespace parcast::cli
