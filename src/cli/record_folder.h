// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a recording lies: in a hidden folder while the launch line runs, under its own name once it is whole. The name is
// taken at the end by renaming, which the kernel lets only one of several succeed in: jobs that start together in one
// folder get PROGRAM-1.recording, -2, ... one each.

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "cli/record_request.h"

namespace parcast::cli {

/// A new hidden folder beside the later name, as an absolute path. An error when -o names what exists already.
Result<std::filesystem::path> working_folder(const RecordRequest& request);

/// Hidden folders beside this one that an ended `parcast record` left behind, in order of name: a running one holds a lock on its own.
std::vector<std::filesystem::path> abandoned_folders(const std::filesystem::path& folder);

/// Gives the folder its name, -o or the first free PROGRAM-N.recording in the current folder, and returns that.
Result<std::filesystem::path> take_name(const std::filesystem::path& folder, const RecordRequest& request);
/// The first free one in `parent`.
Result<std::filesystem::path> take_free_name(const std::filesystem::path& folder, const std::filesystem::path& parent,
                                             const std::string& program);

/// Worlds beside the first one get numbers in the order of their start, world-1, world-2, ...; the marks that told them
/// apart while they ran go. What cannot be renamed keeps its name.
void number_worlds(const std::filesystem::path& folder);

/// Why a rank could not begin its file there; no error when there is room for it.
std::error_code room_for_a_rank(const std::filesystem::path& folder);

}  // namespace parcast::cli
