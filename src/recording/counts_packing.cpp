// SPDX-License-Identifier: Apache-2.0
#include "recording/counts_packing.h"

#include <algorithm>

#include "base/files.h"
#include "recording/counts_view.h"

namespace parcast::recording {
namespace {

namespace fs = std::filesystem;

void put(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> take(std::string_view bytes, std::uint64_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    if (shift == 63 && byte > 1) return std::nullopt;
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

/// Zigzag encoding: small values stay small, whatever their sign.
std::uint64_t folded(std::uint64_t value) {
  return value << 1 ^ (value >> 63 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unfolded(std::uint64_t value) {
  return value >> 1 ^ (value & 1 ? ~std::uint64_t{0} : 0);
}

struct SetHead {
  std::uint64_t words = 0;
  // `bytes`: length of the words that follow, padded with zeros to 8; `check`: of this head (with check 0)
  // and the words, at their place
  std::uint32_t bytes = 0, check = 0;
};
static_assert(sizeof(SetHead) == 16);

/// Returns the check of the head, with its check 0, and its content; both are in `bytes` from `place` on,
/// padded.
std::uint32_t check_of_set(std::string_view bytes, std::uint64_t place, std::uint64_t length) {
  std::vector<std::uint64_t> words(length / 8);
  std::memcpy(words.data(), bytes.data() + place, length);
  return parcast_check(words.data(), words.size(), 1, place);
}

/// Returns the rows of a file of format 1, if all its rows, keys and sets are present and valid.
std::optional<std::vector<parcast_counts_row>> whole(std::string_view bytes,
                                                     const parcast_counts_header& header,
                                                     std::uint64_t sets) {
  const std::uint64_t room = bytes.size();
  if (header.set_bytes % 8 != 0 || header.first > room ||
      (header.set_bytes > 0 && sets > (room - header.first) / header.set_bytes))
    return std::nullopt;
  if (header.first < PARCAST_ROWS_PLACE ||
      header.modules > (header.first - PARCAST_ROWS_PLACE) / sizeof(parcast_counts_row))
    return std::nullopt;
  for (std::uint64_t i = 0; i < sets; ++i)
    if (!sealed(bytes, PARCAST_KEYS_PLACE + i * sizeof(parcast_set_key), 1, &parcast_set_key::check))
      return std::nullopt;
  std::vector<parcast_counts_row> rows;
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < header.modules; ++i) {
    const auto row = counts_row(bytes, i);
    if (!row || row->offset < end || row->offset % 8 != 0 || row->offset > header.set_bytes)
      return std::nullopt;
    const std::uint64_t words = (header.set_bytes - row->offset) / 8;
    if (row->counts > words || row->probes > (words - row->counts) / PARCAST_PROBE_WORDS) return std::nullopt;
    end = row->offset + 8 * (row->counts + PARCAST_PROBE_WORDS * row->probes);
    rows.push_back(*row);
  }
  return rows;
}

SetWords words_of(std::string_view set, const std::vector<parcast_counts_row>& rows) {
  SetWords words;
  for (const parcast_counts_row& row : rows) {
    const std::uint64_t begin = row.offset / 8, counters_end = begin + row.counts,
                        end = counters_end + PARCAST_PROBE_WORDS * row.probes;
    for (std::uint64_t i = begin; i < end; ++i) {
      const auto word = load<std::uint64_t>(set, 8 * i);
      const bool first_of_probe =
          i >= counters_end && (i - counters_end) % PARCAST_PROBE_WORDS == PARCAST_PROBE_VALUE;
      if (word != (first_of_probe ? PARCAST_PROBE_NOTHING : 0)) words.emplace_back(i, word);
    }
  }
  return words;
}

/// Returns whether the process recorded that it ended.
bool has_ended(const fs::path& rank_file) {
  const auto bytes = read_file(rank_file);
  if (!bytes || bytes->size() < sizeof(parcast_header)) return false;
  const auto header = load<parcast_header>(*bytes, 0);
  return header.magic == PARCAST_FILE_MAGIC && header.live[PARCAST_LIVE_FINALISED].value != 0 &&
         header.live[PARCAST_LIVE_LAST_TICKS].value > header.live[PARCAST_LIVE_FINALISED].value;
}

Result<void> pack_file(const fs::path& path) {
  PARCAST_ASSIGN(const std::string bytes, read_file(path));
  if (const auto packed = packed_counts(bytes)) return write_file(path, *packed);
  return {};
}

}  // namespace

void pack_set(const SetWords& words, std::string& to) {
  const std::uint64_t place = to.size();
  to.append(sizeof(SetHead), '\0');
  std::uint64_t next = 0;
  for (const auto& [at, word] : words) {
    put(to, at - next);
    put(to, folded(word));
    next = at + 1;
  }
  SetHead head{words.size(), static_cast<std::uint32_t>(to.size() - place - sizeof(SetHead)), 0};
  to.append((8 - to.size() % 8) % 8, '\0');
  std::memcpy(to.data() + place, &head, sizeof head);
  head.check = check_of_set(to, place, to.size() - place);
  std::memcpy(to.data() + place, &head, sizeof head);
}

std::optional<SetWords> unpack_set(std::string_view bytes, std::uint64_t& place, std::uint64_t most) {
  if (place > bytes.size() || bytes.size() - place < sizeof(SetHead)) return std::nullopt;
  const auto head = load<SetHead>(bytes, place);
  const std::uint64_t padded = (std::uint64_t{head.bytes} + 7) / 8 * 8, begin = place + sizeof(SetHead);
  if (padded > bytes.size() - begin || head.words > head.bytes / 2) return std::nullopt;
  if (check_of_set(bytes, place, sizeof(SetHead) + padded) != head.check) return std::nullopt;
  const std::string_view content = bytes.substr(begin, head.bytes);
  SetWords words;
  words.reserve(head.words);
  std::uint64_t at = 0, next = 0;
  for (std::uint64_t i = 0; i < head.words; ++i) {
    const auto skipped = take(content, at), word = take(content, at);
    if (!skipped || !word || next >= most || *skipped >= most - next) return std::nullopt;
    words.emplace_back(next + *skipped, unfolded(*word));
    next += *skipped + 1;
  }
  if (at != content.size()) return std::nullopt;
  place = begin + padded;
  return words;
}

std::optional<std::string> packed_counts(std::string_view bytes) {
  if (bytes.size() < sizeof(parcast_counts_header)) return std::nullopt;
  auto header = load<parcast_counts_header>(bytes, 0);
  if (header.magic != PARCAST_COUNTS_MAGIC || header.version != PARCAST_COUNTS_VERSION ||
      !header_holds(header))
    return std::nullopt;
  for (const parcast_twin& twin : header.live)
    if ((twin.twin ^ PARCAST_TWIN) != twin.value) return std::nullopt;
  const std::uint64_t sets = header.live[PARCAST_COUNTS_SETS].value;
  if (sets > PARCAST_MOST_SETS || header.set_bytes > kMostPackedSetBytes) return std::nullopt;
  const auto rows = whole(bytes, header, sets);
  if (!rows) return std::nullopt;
  const std::uint64_t rows_end = PARCAST_ROWS_PLACE + header.modules * sizeof(parcast_counts_row),
                      first = header.first;
  header.version = PARCAST_PACKED_COUNTS_VERSION;
  header.first = rows_end;
  header.check = 0;
  header.check = parcast_check(&header, offsetof(parcast_counts_header, live) / 8, 1, 0);
  std::string packed(bytes.substr(0, rows_end));
  std::memcpy(packed.data(), &header, sizeof header);
  for (std::uint64_t i = 0; i < sets; ++i)
    pack_set(words_of(bytes.substr(first + i * header.set_bytes, header.set_bytes), *rows), packed);
  return packed;
}

Result<void> pack_counts(const fs::path& folder, bool ended) {
  std::error_code problem;
  std::vector<fs::path> files, folders;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const fs::path& path = entry->path();
    if (entry->is_directory(problem))
      folders.push_back(path);
    else if (path.extension() == ".counts" && entry->is_regular_file(problem))
      files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files)
    if (ended || has_ended(fs::path(path).replace_extension(".rec"))) PARCAST_TRY(pack_file(path));
  std::sort(folders.begin(), folders.end());
  for (const fs::path& each : folders) PARCAST_TRY(pack_counts(each, ended));
  return {};
}

}  // namespace parcast::recording
