// SPDX-License-Identifier: Apache-2.0
#include "recording/records.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace parcast::recording {
namespace {

constexpr std::size_t kBlockHeader = sizeof(parcast_block_header);
constexpr std::uint64_t kMostLosses = 50;
constexpr std::size_t kLongestProbe = 1024;  // bytes of a record looked for behind damage: bounds the work

std::uint32_t check_of(std::string_view bytes, std::uint64_t skip, std::uint64_t place) {
  std::array<std::uint64_t, PARCAST_BLOCK_SIZE / 8> words;
  const std::size_t count = std::min(bytes.size() / 8, words.size());
  std::memcpy(words.data(), bytes.data(), count * 8);
  return parcast_check(words.data(), count, skip, place);
}

template <class T>
T load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The length of the good record at `offset` of the block, or 0.
std::size_t good_record(std::string_view block, std::size_t offset, std::uint64_t place, std::size_t longest) {
  if (block.size() - offset < sizeof(parcast_record)) return 0;
  const auto head = load<parcast_record>(block, offset);
  const std::size_t length = std::size_t{head.words} * 8;
  if (head.kind == PARCAST_UNUSED || length < sizeof head || length > block.size() - offset || length > longest) return 0;
  return check_of(block.substr(offset, length), 0, place + offset) == head.check ? length : 0;
}

/// Where the block's last byte that is not zero ends, rounded up to 8.
std::size_t end_of_content(std::string_view block) {
  std::size_t end = block.size();
  while (end > 0 && block[end - 1] == 0) --end;
  return std::min((end + 7) / 8 * 8, block.size());
}

class BlockScan {
 public:
  BlockScan(std::string_view block, std::uint64_t number, const RecordVisitor& visitor, LossList& losses)
      : block_(block), number_(number), place_(PARCAST_HEADER_SIZE + number * PARCAST_BLOCK_SIZE), visitor_(visitor),
        losses_(losses) {}

  void run() {
    const std::size_t committed = committed_bytes();
    std::size_t offset = std::min(kBlockHeader, block_.size());
    while (offset < block_.size()) {
      if (const std::size_t length = good_record(block_, offset, place_, PARCAST_BLOCK_SIZE)) {
        visitor_.record(RecordView(block_.substr(offset, length)));
        offset += length;
        continue;
      }
      const std::size_t next = next_good_record(offset + 8);
      if (next == block_.size() && offset >= committed) return;  // the unwritten rest, or a record torn by the end
      lost(offset, next == block_.size() ? std::max(std::min(committed, next), offset + 8) : next);
      offset = next;
    }
    if (committed > block_.size()) lost(block_.size(), committed);
  }

 private:
  std::size_t committed_bytes() {
    if (block_.size() < kBlockHeader) {
      losses_.add("block " + std::to_string(number_) + " is cut in its header");
      return 0;
    }
    const auto header = load<parcast_block_header>(block_, 0);
    const bool good = header.magic == PARCAST_BLOCK_MAGIC && header.number == number_ &&
                      check_of(block_.substr(0, offsetof(parcast_block_header, committed)), 0, place_) == header.check;
    if (good && header.committed >= kBlockHeader && header.committed <= PARCAST_BLOCK_SIZE) return header.committed;
    losses_.add("the header of block " + std::to_string(number_) + " is damaged; its records were kept as far as they are whole");
    return end_of_content(block_);
  }

  std::size_t next_good_record(std::size_t offset) const {
    for (; offset < block_.size(); offset += 8)
      if (good_record(block_, offset, place_, kLongestProbe)) return offset;
    return block_.size();
  }

  void lost(std::size_t from, std::size_t to) {
    losses_.add("bytes " + std::to_string(place_ + from) + " to " + std::to_string(place_ + to) + " are missing or damaged");
    visitor_.gap();
  }

  std::string_view block_;
  std::uint64_t number_, place_;
  const RecordVisitor& visitor_;
  LossList& losses_;
};

bool is_blank(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

}  // namespace

Result<parcast_header> read_header(std::string_view file, const std::string& where) {
  if (file.size() < sizeof(std::uint64_t) || load<std::uint64_t>(file, 0) != PARCAST_FILE_MAGIC)
    return Error{"this is not a recording of one process", where, "rank-N.rec files are written by parcast record"};
  if (file.size() < PARCAST_HEADER_SIZE)
    return Error{"the file ends inside its header, at byte " + std::to_string(file.size()), where,
                 "record again; nothing of this process can be used"};
  const auto header = load<parcast_header>(file, 0);
  if (header.version < PARCAST_OLDEST_VERSION || header.version > PARCAST_FORMAT_VERSION)
    return Error{"the file has format " + std::to_string(header.version) + ", this version reads formats " +
                     std::to_string(PARCAST_OLDEST_VERSION) + " to " + std::to_string(PARCAST_FORMAT_VERSION),
                 where, "read it with the version that recorded it, or record again"};
  if (check_of(file.substr(0, offsetof(parcast_header, live)), 1, 0) != header.check)
    return Error{"the file's header is damaged", where, "record again; nothing of this process can be trusted"};
  return header;
}

LossList::~LossList() {
  if (count_ > kMostLosses) losses_.push_back({where_ + ": " + std::to_string(count_ - kMostLosses) + " more losses"});
}

void LossList::add(const std::string& what) {
  if (++count_ <= kMostLosses) losses_.push_back({where_ + ": " + what});
}

std::uint64_t live_value(const parcast_header& header, parcast_live which, LossList& losses) {
  const std::uint64_t value = header.live[which].value, twin = header.live[which].twin ^ PARCAST_TWIN;
  if (value == twin) return value;
  losses.add("counter " + std::to_string(which) + " of the header is damaged");
  return std::min(value, twin);
}

void scan_records(std::string_view file, std::uint64_t blocks, const RecordVisitor& visitor, LossList& losses) {
  std::uint64_t number = 0;
  for (std::size_t at = PARCAST_HEADER_SIZE; at < file.size(); at += PARCAST_BLOCK_SIZE, ++number) {
    const std::string_view block = file.substr(at, PARCAST_BLOCK_SIZE);
    if (number >= blocks && is_blank(block)) continue;
    if (number < blocks && is_blank(block)) {
      losses.add("block " + std::to_string(number) + " is empty");
      visitor.gap();
      continue;
    }
    BlockScan(block, number, visitor, losses).run();
  }
  if (number < blocks) {
    losses.add("the file ends at byte " + std::to_string(file.size()) + ", " + std::to_string(blocks - number) + " of " +
               std::to_string(blocks) + " blocks are missing");
    visitor.gap();
  }
}

}  // namespace parcast::recording
