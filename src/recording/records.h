// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the valid records in a rank's file, whatever damage it has. Every record has its own check, so a scan
// continues after damage. Missing records become a Loss.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/format.h"
#include "recording/recording.h"

namespace parcast::recording {

/// A valid record: its bytes, a multiple of 8, beginning with parcast_record. Values are copied out, since a
/// mapped file need not be aligned.
class RecordView {
 public:
  explicit RecordView(std::string_view bytes) : bytes_(bytes) {}
  parcast_record_kind kind() const { return static_cast<parcast_record_kind>(bytes_[0]); }
  std::uint8_t flags() const { return static_cast<std::uint8_t>(bytes_[1]); }
  std::size_t size() const { return bytes_.size(); }

  /// Returns the structure at `offset`, if the record is long enough.
  template <class T>
  std::optional<T> at(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    bytes_.copy(reinterpret_cast<char*>(&value), sizeof value, offset);
    return value;
  }
  /// Returns `length` bytes at `offset`, if the record is long enough.
  std::optional<std::string_view> text(std::size_t offset, std::size_t length) const {
    if (offset > bytes_.size() || bytes_.size() - offset < length) return std::nullopt;
    return bytes_.substr(offset, length);
  }

 private:
  std::string_view bytes_;
};

/// Losses of one file. After a few dozen they are only counted, so that the list cannot outgrow the file.
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
  std::function<void()> gap;  // records are missing at this point
  /// The chapters that a thread's events were folded into (folded.h), in order, before the thread's later
  /// records.
  std::function<void(std::uint32_t thread, std::string_view description)> chapter;
  /// A block of usage values (usage_reader.h).
  std::function<void(std::string_view block)> usage;
};

/// Returns the header if it is complete.
Result<parcast_header> read_header(std::string_view file, const std::string& where);

/// Returns the value of a counter stored with its twin. When they differ, returns the smaller of the two
/// readings and adds a loss.
std::uint64_t live_value(const parcast_header& header, parcast_live which, LossList& losses);

/// Returns why something was not kept; `reason` is a parcast_stop.
const char* stop_reason(std::uint64_t reason);

/// Visits all valid records: first those in blocks filled once, in file order, then chapters and the rounds
/// after them. `blocks`: number of blocks in use by the header. `ended`: the file was closed, so that nothing
/// in it is half written.
void scan_records(std::string_view file, std::uint64_t blocks, bool ended, const RecordVisitor& visitor,
                  LossList& losses);

}  // namespace parcast::recording
