// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast record` says at its end, on stderr since stdout is the program's: for people, or with --json one object
// on one line (docs/formats/recording.md).
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

/// What to know before relying on the recording, losses aside: how the program ended, and parameters that no model takes.
std::vector<program::Notice> record_notices(const recording::Recording& recording);

/// Of modules that counted and of which no file tells what their counts mean; nothing where there are none.
std::optional<program::Notice> facts_notice(const std::vector<std::uint64_t>& without_facts);

/// Losses name the files by the folder that they were written in: gives them the name under which they lie now.
void rename_in_losses(recording::Recording& recording, const std::filesystem::path& before, const std::filesystem::path& now);

/// What to do next is said only where no notice stands against it.
std::string record_text(const recording::Recording& recording, const std::filesystem::path& path,
                        const std::vector<program::Notice>& more = {});
/// parcast.record/1
std::string record_to_json(const recording::Recording& recording, const std::filesystem::path& path,
                           const std::vector<program::Notice>& more = {});

}  // namespace parcast::cli
