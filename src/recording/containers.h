// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds where the ranks of a recording are stored: in separate files, or several in one node-HOST.recs
// (container.h). Of a truncated container the complete parts are found, and the last one as far as it goes.

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
  std::uint64_t zeros = 0;  // number of zeros that follow these bytes in the rank's file
  std::uint32_t check = 0;  // of the bytes
  bool is_counts = false;   // of rank-N.counts instead of rank-N.rec
  bool cut = false;         // the container ends inside this part
};

/// Returns the parts of a container in memory, by the index at its end or, without an index, by the parts'
/// own headers. Fails when there is no part; what is missing is appended to `losses`. The fuzzer calls this.
Result<std::vector<ContainerPart>> parts_of(std::string_view container, const std::string& where,
                                            std::vector<Loss>& losses);

/// Returns the rank file as it was packed. Bytes that differ from the packed ones are reported as a loss.
std::string unpacked(std::string_view bytes, const ContainerPart& part, const std::string& where,
                     std::vector<Loss>& losses);

/// A file of a rank (rank-N.rec or rank-N.counts), or its part of a container.
struct RankPlace {
  std::filesystem::path file;
  std::optional<ContainerPart> part;
  /// Returns e.g. "x.recording/rank-3.rec" or "x.recording/node-a.recs/rank-3.rec".
  std::string name() const;
};

/// Places by rank; truncated parts come last.
using PlacesByRank = std::map<std::int32_t, std::vector<RankPlace>>;
struct RankPlaces {
  PlacesByRank ranks, counts;
};

/// Returns all places, from the file names in the folder and from its containers.
Result<RankPlaces> rank_places(const std::filesystem::path& folder, std::vector<Loss>& losses);

Result<std::string> read_place(const RankPlace& place, std::vector<Loss>& losses);

/// Returns whether a folder contains a rank's file or a container.
bool holds_ranks(const std::filesystem::path& folder);

}  // namespace parcast::recording
