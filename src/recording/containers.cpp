// SPDX-License-Identifier: Apache-2.0
#include "recording/containers.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "base/text.h"
#include "recording/container.h"
#include "recording/stored_bytes.h"

namespace parcast::recording {
namespace {

namespace fs = std::filesystem;

/// Returns parcast_check of unaligned bytes, padded with zeros to 8.
std::uint32_t check_of_container(std::string_view bytes, std::uint64_t skip, std::uint64_t place) {
  std::vector<std::uint64_t> words((bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return parcast_check(words.data(), words.size(), skip, place);
}

constexpr std::uint64_t kNoSkip = ~std::uint64_t{0};

std::optional<parcast_node_header> node_header(std::string_view file) {
  if (file.size() < sizeof(parcast_node_header)) return std::nullopt;
  const auto header = load<parcast_node_header>(file, 0);
  if (header.magic != PARCAST_NODE_MAGIC ||
      check_of_container(file.substr(0, sizeof header), 1, 0) != header.check)
    return std::nullopt;
  return header;
}

bool fits(std::uint64_t size, std::int32_t rank, std::uint32_t kind, std::uint64_t at, std::uint64_t length,
          std::uint64_t zeros) {
  return rank >= 0 && kind <= PARCAST_PART_COUNTS && at <= size && size - at >= length &&
         zeros <= parcast_most_zeros(length);
}

/// Returns the parts by the index, if the index is complete and its parts follow one another.
std::optional<std::vector<ContainerPart>> indexed_parts(std::string_view file) {
  constexpr std::uint64_t kTrailer = sizeof(parcast_index_trailer), kEntry = sizeof(parcast_index_entry);
  if (file.size() < sizeof(parcast_node_header) + kTrailer) return std::nullopt;
  const auto trailer = load<parcast_index_trailer>(file, file.size() - kTrailer);
  if (trailer.magic != PARCAST_INDEX_MAGIC || trailer.at > file.size() - kTrailer) return std::nullopt;
  if (file.size() - trailer.at != trailer.parts * kEntry + kTrailer) return std::nullopt;
  if (check_of_container(file.substr(trailer.at), 4 * std::uint64_t{trailer.parts} + 1, trailer.at) !=
      trailer.check)
    return std::nullopt;
  std::vector<ContainerPart> parts;
  std::uint64_t end = sizeof(parcast_node_header);
  for (std::uint32_t i = 0; i < trailer.parts; ++i) {
    const auto entry = load<parcast_index_entry>(file, trailer.at + i * kEntry);
    if (entry.at < end || entry.at > trailer.at || trailer.at - entry.at < sizeof(parcast_node_part))
      return std::nullopt;
    const std::uint64_t at = entry.at + sizeof(parcast_node_part);
    if (!fits(trailer.at, entry.rank, entry.kind, at, entry.length, entry.zeros)) return std::nullopt;
    parts.push_back(
        {entry.rank, at, entry.length, entry.zeros, entry.content, entry.kind == PARCAST_PART_COUNTS, false});
    end = at + entry.length;
  }
  return parts;
}

/// Returns the part whose header is at `at`.
std::optional<ContainerPart> part_at(std::string_view file, std::uint64_t at) {
  if (load<std::uint64_t>(file, at) != PARCAST_PART_MAGIC) return std::nullopt;
  const auto header = load<parcast_node_part>(file, at);
  if (header.rank < 0 || header.kind > PARCAST_PART_COUNTS ||
      check_of_container(file.substr(at, sizeof header), 1, at) != header.check)
    return std::nullopt;
  ContainerPart part{header.rank,  at + sizeof header, header.length,
                     header.zeros, header.content,     header.kind == PARCAST_PART_COUNTS,
                     false};
  if (fits(file.size(), part.rank, header.kind, part.at, part.length, part.zeros)) return part;
  part.cut = true;
  part.length = std::min(part.length, file.size() - part.at);
  part.zeros = 0;
  return part;
}

/// Returns the parts of a container without an index, found by the checks of their headers.
std::vector<ContainerPart> scanned_parts(std::string_view file) {
  std::vector<ContainerPart> parts;
  for (std::uint64_t at = 0; at + sizeof(parcast_node_part) <= file.size();) {
    const auto part = part_at(file, at);
    if (part) parts.push_back(*part);
    at = part ? parcast_padded(part->at + part->length) : at + 8;
  }
  return parts;
}

std::string without_index(std::string_view file, std::size_t found) {
  const std::string ranks = std::to_string(found) + (found == 1 ? " file" : " files");
  const auto header = node_header(file);
  if (!header) return "its header and its index are damaged; " + ranks + " found by looking through it";
  std::string text = file.size() < header->bytes ? "the file ends at byte " + std::to_string(file.size()) +
                                                       " of " + std::to_string(header->bytes)
                                                 : "its index is damaged";
  text += "; " + ranks + " of " + std::to_string(header->parts) + " found";
  return text;
}

bool is_container(const std::string& name) {
  return name.starts_with(PARCAST_NODE_PREFIX) && name.ends_with(PARCAST_NODE_SUFFIX);
}

/// Returns the rank in a name like rank-12.rec.
std::optional<std::int32_t> rank_of(const std::string& name, std::string_view ending) {
  constexpr std::string_view kBegin = "rank-";
  if (!name.starts_with(kBegin) || !name.ends_with(ending) || name.size() <= kBegin.size() + ending.size())
    return std::nullopt;
  const auto number = parse_integer(
      std::string_view(name).substr(kBegin.size(), name.size() - kBegin.size() - ending.size()));
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

/// Adds the parts of a container; a container that cannot be used becomes a loss.
void add_container(const fs::path& path, RankPlaces& places, std::vector<Loss>& losses) {
  const auto bytes = read_file(path);
  const auto parts =
      bytes ? parts_of(*bytes, path.string(), losses) : Result<std::vector<ContainerPart>>(bytes.error());
  if (!parts) return losses.push_back({to_string(parts.error())});
  for (const ContainerPart& part : *parts)
    (part.is_counts ? places.counts : places.ranks)[part.rank].push_back({path, part});
}

void put_cut_ones_last(PlacesByRank& places) {
  for (auto& [rank, each] : places)
    std::stable_sort(each.begin(), each.end(), [](const RankPlace& a, const RankPlace& b) {
      return (a.part && a.part->cut) < (b.part && b.part->cut);
    });
}

constexpr std::string_view kRankEnding = ".rec", kCountsEnding = ".counts";

}  // namespace

Result<std::vector<ContainerPart>> parts_of(std::string_view file, const std::string& where,
                                            std::vector<Loss>& losses) {
  if (file.size() < sizeof(std::uint64_t) || load<std::uint64_t>(file, 0) != PARCAST_NODE_MAGIC)
    return Error{"this is no file of a node's ranks", where,
                 "node-HOST.recs files are written by parcast record --gather"};
  const auto header = node_header(file);
  if (header && (header->version < 1 || header->version > PARCAST_NODE_VERSION))
    return Error{"the file has format " + std::to_string(header->version) +
                     ", this version reads formats 1 to " + std::to_string(PARCAST_NODE_VERSION),
                 where, "read it with the version that gathered it"};
  if (auto parts = indexed_parts(file)) {
    if (!header) losses.push_back({where + ": its header is damaged; its index is intact"});
    return std::move(*parts);
  }
  auto parts = scanned_parts(file);
  losses.push_back({where + ": " + without_index(file, parts.size())});
  return parts;
}

std::string unpacked(std::string_view bytes, const ContainerPart& part, const std::string& where,
                     std::vector<Loss>& losses) {
  if (part.cut)
    losses.push_back({where + ": it is there up to its byte " + std::to_string(bytes.size())});
  else if (check_of_container(bytes, kNoSkip, 0) != part.check)
    losses.push_back({where + ": some of its bytes were changed since it was gathered"});
  std::string whole(bytes);
  whole.resize(bytes.size() + part.zeros);
  return whole;
}

std::string RankPlace::name() const {
  if (!part) return file.string();
  return (file /
          ("rank-" + std::to_string(part->rank) + std::string(part->is_counts ? kCountsEnding : kRankEnding)))
      .string();
}

Result<RankPlaces> rank_places(const fs::path& folder, std::vector<Loss>& losses) {
  std::error_code problem;
  RankPlaces places;
  std::vector<fs::path> containers;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (const auto rank = rank_of(name, kRankEnding))
      places.ranks[*rank].push_back({entry->path(), std::nullopt});
    if (const auto rank = rank_of(name, kCountsEnding))
      places.counts[*rank].push_back({entry->path(), std::nullopt});
    if (is_container(name)) containers.push_back(entry->path());
  }
  if (problem)
    return Error{"the recording cannot be opened: " + problem.message(), folder.string(),
                 "give the folder NAME.recording"};
  std::sort(containers.begin(), containers.end());
  for (const fs::path& path : containers) add_container(path, places, losses);
  put_cut_ones_last(places.ranks);
  put_cut_ones_last(places.counts);
  return places;
}

Result<std::string> read_place(const RankPlace& place, std::vector<Loss>& losses) {
  if (!place.part) return read_file(place.file);
  std::string bytes(place.part->length, '\0');
  std::ifstream file(place.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place.part->at));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    return Error{"cannot be read", place.name(), "it was changed meanwhile"};
  return unpacked(bytes, *place.part, place.name(), losses);
}

bool holds_ranks(const fs::path& folder) {
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    const fs::path ending = at->path().extension();
    if (ending == ".rec" || is_container(at->path().filename().string())) return true;
  }
  return false;
}

}  // namespace parcast::recording
