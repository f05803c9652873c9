// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the ranks of a recording lie: in files of their own, or several in one node-HOST.recs (container.h). Whatever was cut
// off such a file, the parts that are whole are found, and the last one as far as it goes.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

/// One rank's bytes in a container.
struct ContainerPart {
  std::int32_t rank = 0;
  std::uint64_t at = 0, length = 0;
  std::uint64_t zeros = 0;              // that follow these in the rank's file
  std::uint32_t check = 0;              // of the bytes
  bool is_counts = false;               // of rank-N.counts, not of rank-N.rec
  bool cut = false;                     // the container ends inside
};

/// The parts of a container in memory, by the index at its end or, without one, by their own headers. An error where there are
/// none; what is missing is appended to `losses`. What the fuzzer calls.
Result<std::vector<ContainerPart>> parts_of(std::string_view container, const std::string& where, std::vector<Loss>& losses);

/// The rank file as it was packed. Bytes that are not those that were packed are a loss.
std::string unpacked(std::string_view bytes, const ContainerPart& part, const std::string& where, std::vector<Loss>& losses);

/// A file of a rank, rank-N.rec or rank-N.counts, or its part of a container.
struct RankPlace {
  std::filesystem::path file;
  std::optional<ContainerPart> part;
  /// "x.recording/rank-3.rec", or "x.recording/node-a.recs/rank-3.rec".
  std::string name() const;
};

/// By rank; those that were cut last.
using PlacesByRank = std::map<std::int32_t, std::vector<RankPlace>>;
struct RankPlaces {
  PlacesByRank ranks, counts;
};

/// All places that the names in the folder and the containers tell.
Result<RankPlaces> rank_places(const std::filesystem::path& folder, std::vector<Loss>& losses);

Result<std::string> read_place(const RankPlace& place, std::vector<Loss>& losses);

/// Whether a folder holds any rank's file or container.
bool holds_ranks(const std::filesystem::path& folder);

}  // namespace parcast::recording
