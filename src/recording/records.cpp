// SPDX-License-Identifier: Apache-2.0
#include "recording/records.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <tuple>

#include "recording/stored_bytes.h"

namespace parcast::recording {
namespace {

constexpr std::size_t kBlockHeader = sizeof(parcast_block_header);
constexpr std::uint64_t kMostLosses = 50;
// longest record, in bytes, searched for after damage; limits the work
constexpr std::size_t kLongestProbe = 1024;

std::uint32_t check_of(std::string_view bytes, std::uint64_t skip, std::uint64_t place) {
  std::array<std::uint64_t, PARCAST_BLOCK_SIZE / 8> words;
  const std::size_t count = std::min(bytes.size() / 8, words.size());
  std::memcpy(words.data(), bytes.data(), count * 8);
  return parcast_check(words.data(), count, skip, place);
}

/// Returns the length of the valid record at `offset` of the block, or 0.
std::size_t good_record(std::string_view block, std::size_t offset, std::uint64_t place,
                        std::size_t longest) {
  if (block.size() - offset < sizeof(parcast_record)) return 0;
  const auto head = load<parcast_record>(block, offset);
  const std::size_t length = std::size_t{head.words} * 8;
  if (head.kind == PARCAST_UNUSED || length < sizeof head || length > block.size() - offset ||
      length > longest)
    return 0;
  return check_of(block.substr(offset, length), 0, place + offset) == head.check ? length : 0;
}

/// Returns the end of the block's last nonzero byte, rounded up to 8.
std::size_t end_of_content(std::string_view block) {
  std::size_t end = block.size();
  while (end > 0 && block[end - 1] == 0) --end;
  return std::min((end + 7) / 8 * 8, block.size());
}

std::uint64_t place_of(std::uint64_t number) {
  return PARCAST_HEADER_SIZE + number * PARCAST_BLOCK_SIZE;
}

constexpr std::uint64_t kBytesInUse = PARCAST_TURNED_CHAPTER - 1;

/// Returns the header of a block if it is valid.
std::optional<parcast_block_header> block_header(std::string_view block, std::uint64_t number) {
  if (block.size() < kBlockHeader) return std::nullopt;
  const auto header = load<parcast_block_header>(block, 0);
  const bool good =
      header.magic == PARCAST_BLOCK_MAGIC && header.number == number && header.kind <= PARCAST_BLOCK_USAGE &&
      check_of(block.substr(0, offsetof(parcast_block_header, committed)), 0, place_of(number)) ==
          header.check;
  if (!good) return std::nullopt;
  return header;
}

class BlockScan {
 public:
  /// `round` is 0 for a block that is filled once.
  BlockScan(std::string_view block, std::uint64_t number, std::uint64_t round, const RecordVisitor& visitor,
            LossList& losses)
      : block_(block),
        number_(number),
        place_(place_of(number)),
        seed_(parcast_place_in_round(place_, round)),
        visitor_(visitor),
        losses_(losses) {}

  void run() {
    const std::size_t committed = committed_bytes();
    std::size_t offset = std::min(kBlockHeader, block_.size());
    while (offset < block_.size()) {
      if (const std::size_t length = good_record(block_, offset, seed_, PARCAST_BLOCK_SIZE)) {
        visitor_.record(RecordView(block_.substr(offset, length)));
        offset += length;
        continue;
      }
      const std::size_t next = next_good_record(offset + 8);
      // the unwritten rest, or a record torn by the end of the process
      if (next == block_.size() && offset >= committed) return;
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
    const auto header = block_header(block_, number_);
    const std::uint64_t in_use = header ? header->committed & kBytesInUse : 0;
    if (in_use >= kBlockHeader && in_use <= PARCAST_BLOCK_SIZE) return in_use;
    losses_.add("the header of block " + std::to_string(number_) +
                " is damaged; its intact records were kept");
    return end_of_content(block_);
  }

  std::size_t next_good_record(std::size_t offset) const {
    for (; offset < block_.size(); offset += 8)
      if (good_record(block_, offset, seed_, kLongestProbe)) return offset;
    return block_.size();
  }

  void lost(std::size_t from, std::size_t to) {
    losses_.add("bytes " + std::to_string(place_ + from) + " to " + std::to_string(place_ + to) +
                " are missing or damaged");
    visitor_.gap();
  }

  std::string_view block_;
  std::uint64_t number_, place_, seed_;
  const RecordVisitor& visitor_;
  LossList& losses_;
};

/// Collects blocks of rounds and chapters, and visits them in order when all are collected.
class Folded {
 public:
  Folded(bool ended, const RecordVisitor& visitor, LossList& losses)
      : ended_(ended), visitor_(visitor), losses_(losses) {}

  void add(std::string_view block, std::uint64_t number, const parcast_block_header& header) {
    const bool turned = header.kind == PARCAST_BLOCK_ROUND && (header.committed & PARCAST_TURNED_CHAPTER);
    if (header.kind == PARCAST_BLOCK_CHAPTER || turned) {
      add_part(block, number, header.thread);
    } else {
      rounds_.push_back({header.thread, header.committed >> PARCAST_ROUND_SHIFT, number, block});
    }
  }

  void finish() {
    std::map<std::uint32_t, std::uint64_t> folded;  // thread -> last round contained in a chapter
    visit_chapters(folded);
    std::sort(rounds_.begin(), rounds_.end(), [](const Round& a, const Round& b) {
      return std::pair(a.thread, a.round) < std::pair(b.thread, b.round);
    });
    for (const Round& round : rounds_) {
      std::uint64_t& last = folded[round.thread];
      if (round.round <= last) continue;
      if (round.round != last + 1) {
        losses_.add("rounds " + std::to_string(last + 1) + " to " + std::to_string(round.round - 1) +
                    " of thread " + std::to_string(round.thread) + " are missing");
        visitor_.gap();
      }
      last = round.round;
      BlockScan(round.block, round.number, round.round, visitor_, losses_).run();
    }
  }

 private:
  struct Round {
    std::uint32_t thread;
    std::uint64_t round, number;
    std::string_view block;
  };
  struct Part {
    std::uint32_t thread;
    parcast_part head;
    std::string_view bytes;
    auto place() const { return std::tuple(thread, head.chapter, head.edition, head.part); }
  };

  void add_part(std::string_view block, std::uint64_t number, std::uint32_t thread) {
    const std::uint64_t place = place_of(number) + kBlockHeader;
    if (block.size() >= kBlockHeader + sizeof(parcast_part)) {
      const auto head = load<parcast_part>(block, kBlockHeader);
      if (is_blank(block.substr(kBlockHeader, sizeof head))) return;  // reserved, or not finished
      const std::size_t whole = sizeof head + (std::size_t{head.bytes} + 7) / 8 * 8;
      if (whole <= block.size() - kBlockHeader &&
          check_of(block.substr(kBlockHeader, whole), 0, place) == head.check) {
        parts_.push_back({thread, head, block.substr(kBlockHeader + sizeof head, head.bytes)});
        return;
      }
    }
    // A process may end while writing this part. The previous edition then contains its events.
    if (ended_) losses_.add("block " + std::to_string(number) + ", a part of what was folded, is damaged");
  }

  void visit_chapters(std::map<std::uint32_t, std::uint64_t>& folded) {
    std::sort(parts_.begin(), parts_.end(),
              [](const Part& a, const Part& b) { return a.place() < b.place(); });
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> newest;  // (thread, chapter) -> first part
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (is_whole(i)) newest[{parts_[i].thread, parts_[i].head.chapter}] = i;
    std::map<std::uint32_t, std::uint64_t> next;
    for (const auto& [chapter, first] : newest) {
      std::uint64_t& expected = next[chapter.first];
      if (chapter.second != expected) {
        losses_.add("what was folded of thread " + std::to_string(chapter.first) + " is missing in part");
        visitor_.gap();
      }
      expected = chapter.second + 1;
      std::string description;
      for (std::size_t i = 0; i < parts_[first].head.parts; ++i) description += parts_[first + i].bytes;
      visitor_.chapter(chapter.first, description);
      folded[chapter.first] = std::max(folded[chapter.first], parts_[first].head.round);
    }
  }

  bool is_whole(std::size_t first) const {
    const Part& begin = parts_[first];
    if (begin.head.part != 0 || begin.head.parts == 0 || begin.head.parts > parts_.size() - first)
      return false;
    for (std::uint32_t i = 1; i < begin.head.parts; ++i) {
      const Part& part = parts_[first + i];
      if (part.place() != std::tuple(begin.thread, begin.head.chapter, begin.head.edition, i)) return false;
      if (part.head.parts != begin.head.parts || part.head.round != begin.head.round) return false;
    }
    return true;
  }

  bool ended_;
  const RecordVisitor& visitor_;
  LossList& losses_;
  std::vector<Round> rounds_;
  std::vector<Part> parts_;
};

}  // namespace

Result<parcast_header> read_header(std::string_view file, const std::string& where) {
  if (file.size() < sizeof(std::uint64_t) || load<std::uint64_t>(file, 0) != PARCAST_FILE_MAGIC)
    return Error{"this is not a recording of one process", where,
                 "rank-N.rec files are written by parcast record"};
  if (file.size() < PARCAST_HEADER_SIZE)
    return Error{"the file ends inside its header, at byte " + std::to_string(file.size()), where,
                 "record again; nothing of this process can be used"};
  const auto header = load<parcast_header>(file, 0);
  if (header.version < PARCAST_OLDEST_VERSION || header.version > PARCAST_FORMAT_VERSION)
    return Error{"the file has format " + std::to_string(header.version) + ", this version reads formats " +
                     std::to_string(PARCAST_OLDEST_VERSION) + " to " + std::to_string(PARCAST_FORMAT_VERSION),
                 where, "read it with the version that recorded it, or record again"};
  if (check_of(file.substr(0, offsetof(parcast_header, live)), 1, 0) != header.check)
    return Error{"the file's header is damaged", where,
                 "record again; nothing of this process can be trusted"};
  return header;
}

LossList::~LossList() {
  if (count_ > kMostLosses)
    losses_.push_back({where_ + ": " + std::to_string(count_ - kMostLosses) + " more losses"});
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

void scan_records(std::string_view file, std::uint64_t blocks, bool ended, const RecordVisitor& visitor,
                  LossList& losses) {
  std::uint64_t number = 0;
  Folded folded(ended, visitor, losses);
  for (std::size_t at = PARCAST_HEADER_SIZE; at < file.size(); at += PARCAST_BLOCK_SIZE, ++number) {
    const std::string_view block = file.substr(at, PARCAST_BLOCK_SIZE);
    const bool begun =
        number >= blocks && !ended && is_blank(block.substr(std::min(kBlockHeader, block.size())));
    // the process was killed while writing this block's header
    if (begun || (number >= blocks && is_blank(block))) continue;
    if (number < blocks && is_blank(block)) {
      losses.add("block " + std::to_string(number) + " is empty");
      visitor.gap();
      continue;
    }
    const auto header = block_header(block, number);
    if (header && header->kind == PARCAST_BLOCK_USAGE) {
      visitor.usage(block);
    } else if (header && header->kind != PARCAST_BLOCK_RECORDS) {
      folded.add(block, number, *header);
    } else {
      BlockScan(block, number, 0, visitor, losses).run();
    }
  }
  folded.finish();
  if (number < blocks) {
    losses.add("the file ends at byte " + std::to_string(file.size()) + ", " +
               std::to_string(blocks - number) + " of " + std::to_string(blocks) + " blocks are missing");
    visitor.gap();
  }
}

const char* stop_reason(std::uint64_t reason) {
  switch (reason) {
    case PARCAST_STOP_LIMIT:
      return "the limit of the file's size (PARCAST_LIMIT) was reached";
    case PARCAST_STOP_SPACE:
      return "there was no space left for the file";
    case PARCAST_STOP_FILE:
      return "the file could not be opened again";
    case PARCAST_STOP_MEMORY:
      return "there was no address space left";
    case PARCAST_STOP_THREADS:
      return "there were more threads than the recorder has room for";
    case PARCAST_STOP_TABLE:
      return "a table of the recorder was full";
  }
  return "the recorder could not write them";
}

}  // namespace parcast::recording
