// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the good records in the bytes of a rank's file, whatever happened to it: every record proves itself by its check,
// so a scan goes on behind damage. What should be there and is not becomes a Loss.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/format.h"
#include "recording/recording.h"

namespace parcast::recording {

/// A good record: its bytes, a multiple of 8, beginning with parcast_record. Copied out, since a mapped file need not be
/// aligned.
class RecordView {
 public:
  explicit RecordView(std::string_view bytes) : bytes_(bytes) {}
  parcast_record_kind kind() const { return static_cast<parcast_record_kind>(bytes_[0]); }
  std::uint8_t flags() const { return static_cast<std::uint8_t>(bytes_[1]); }
  std::size_t size() const { return bytes_.size(); }

  /// The structure at `offset`, when the record is long enough.
  template <class T>
  std::optional<T> at(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    bytes_.copy(reinterpret_cast<char*>(&value), sizeof value, offset);
    return value;
  }
  /// `length` bytes at `offset`, when the record is long enough.
  std::optional<std::string_view> text(std::size_t offset, std::size_t length) const {
    if (offset > bytes_.size() || bytes_.size() - offset < length) return std::nullopt;
    return bytes_.substr(offset, length);
  }

 private:
  std::string_view bytes_;
};

/// Losses of one file. Beyond some dozens they are only counted: a list of them may not outgrow the file.
class LossList {
 public:
  LossList(std::vector<Loss>& losses, std::string where) : losses_(losses), where_(std::move(where)) {}
  ~LossList();
  LossList(const LossList&) = delete;
  LossList& operator=(const LossList&) = delete;
  void add(const std::string& what);
  bool empty() const { return count_ == 0; }

 private:
  std::vector<Loss>& losses_;
  std::string where_;
  std::uint64_t count_ = 0;
};

struct RecordVisitor {
  std::function<void(const RecordView&)> record;
  std::function<void()> gap;  // records are missing here
  /// What a thread's events were folded into (folded.h), chapter by chapter, before its records that follow.
  std::function<void(std::uint32_t thread, std::string_view description)> chapter;
  /// A block that tells what was used (usage_reader.h).
  std::function<void(std::string_view block)> usage;
};

/// The header when it is whole.
Result<parcast_header> read_header(std::string_view file, const std::string& where);

/// The value of a counter that is stored with its twin; when they differ the smaller of the two readings, and a loss.
std::uint64_t live_value(const parcast_header& header, parcast_live which, LossList& losses);

/// Why something was not kept: of a parcast_stop.
const char* stop_reason(std::uint64_t reason);

/// Visits all good records: those of blocks filled once in the order of the file, then chapters and the rounds after them.
/// `blocks` is how many the header says were in use; `ended` whether the file was closed, so that nothing in it is half written.
void scan_records(std::string_view file, std::uint64_t blocks, bool ended, const RecordVisitor& visitor, LossList& losses);

}  // namespace parcast::recording
