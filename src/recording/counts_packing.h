// SPDX-License-Identifier: Apache-2.0
#pragma once
// Format 2 of rank-N.counts (docs/formats/recording.md). In format 1 the sets are the memory of the counters.
// After the run, format 2 keeps only the words of each set that differ from their initial value.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace parcast::recording {

/// Largest accepted size of a set in format 2. The file itself does not show how much room its sets took.
constexpr std::uint64_t kMostPackedSetBytes = std::uint64_t{1} << 28;

/// Words of a set with their index in it, ascending.
using SetWords = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Appends a packed set. The caller passes only words that belong to a module's row.
void pack_set(const SetWords& words, std::string& to);

/// Reads the set at `place` and advances `place` to its end. Returns nothing when the set is damaged or
/// truncated, or names a word beyond `most`; later sets cannot be found then.
std::optional<SetWords> unpack_set(std::string_view bytes, std::uint64_t& place, std::uint64_t most);

/// Converts a file of format 1 to format 2. Returns nothing when the file has a different format, or when
/// anything but a counter is damaged or missing; such a file should stay unchanged.
std::optional<std::string> packed_counts(std::string_view bytes);

/// Packs the files rank-N.counts of a recording and of its worlds. `ended`: all processes have ended;
/// otherwise only files of processes marked as ended are packed. Fails when a file cannot be replaced; that
/// file is unchanged.
Result<void> pack_counts(const std::filesystem::path& folder, bool ended);

}  // namespace parcast::recording
