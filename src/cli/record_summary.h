// SPDX-License-Identifier: Apache-2.0
#pragma once
// The final message of `parcast record`, on stderr since stdout belongs to the program: as text, or with
// --json one object on one line (docs/formats/recording.md).
//
//   parcast: 2 processes, 1.20 s, recorded in app-1.recording (64.2 kB, 418 events, 0.3 % overhead)
//   parcast:   compute 900 ms 75 % · collectives 300 ms 25 % (rank 1 waits most)
//   parcast:   ! the program ended with exit code 3

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "recording/recording.h"

namespace parcast::cli {

/// Returns notices to read before relying on the recording, except losses: the program's exit, and parameters
/// that no model accepts.
std::vector<program::Notice> record_notices(const recording::Recording& recording);

/// Returns a notice about modules that counted but have no file that explains their counts; nothing if there
/// are none.
std::optional<program::Notice> facts_notice(const std::vector<std::uint64_t>& without_facts);

/// Replaces the folder's name in the messages of losses, which contain the name at the time of writing.
void rename_in_losses(recording::Recording& recording, const std::filesystem::path& before,
                      const std::filesystem::path& now);

/// Returns the summary. The next step is printed only if no notice contradicts it.
std::string record_text(const recording::Recording& recording, const std::filesystem::path& path,
                        const std::vector<program::Notice>& more = {});
/// Returns the summary as parcast.record/1.
std::string record_to_json(const recording::Recording& recording, const std::filesystem::path& path,
                           const std::vector<program::Notice>& more = {});

}  // namespace parcast::cli
