// SPDX-License-Identifier: Apache-2.0
#pragma once
// rank-N.counts, format 2 (docs/formats/recording.md): what is left of format 1, whose sets are the counters' own memory, when the run
// has ended: of each set the words that are not as they began.

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

/// A file of format 2 says little of the room that its sets took: more than this is not believed.
constexpr std::uint64_t kMostPackedSetBytes = std::uint64_t{1} << 28;

/// Words of a set, by their place in it, ascending.
using SetWords = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Appends a packed set. Bytes that do not stand in any module's row are not asked for.
void pack_set(const SetWords& words, std::string& to);

/// The set that begins at `place`, which moves on behind it. Nothing where it is damaged or cut off, or names a word beyond `most`; what
/// follows cannot be found then.
std::optional<SetWords> unpack_set(std::string_view bytes, std::uint64_t& place, std::uint64_t most);

/// A file of format 1 as one of format 2. Nothing where it is of another format, or anything but a counter is damaged or missing: it stays as it is.
std::optional<std::string> packed_counts(std::string_view bytes);

/// Packs the files rank-N.counts of a recording and of its worlds. `ended`: all processes have; else only those of processes that told
/// that they had. An error where one cannot be replaced: it is as it was.
Result<void> pack_counts(const std::filesystem::path& folder, bool ended);

}  // namespace parcast::recording
