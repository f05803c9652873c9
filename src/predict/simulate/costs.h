// SPDX-License-Identifier: Apache-2.0
#pragma once
// Costs of messages, each computed once per link, size and mode.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "predict/simulate/platform.h"

namespace parcast::simulate {

__extension__ using Wide = __int128;

/// Returns amount x rate, rounded to integer picoseconds, halves up.
inline Wide at_rate(std::uint64_t amount, Rate rate) {
  return (static_cast<Wide>(amount) * rate + (Wide{1} << 31)) >> 32;
}

/// Returns whether interfaces may be busy.
bool has_gaps(const Platform& platform);

class CostBook {
 public:
  /// `least`: see cost_of. The platform must outlive the book.
  CostBook(const Platform& platform, Time least);

  /// Returns the index of the cost; indices stay valid.
  std::uint32_t find(std::uint32_t link, std::uint64_t bytes, trace::Mode mode);
  const MessageCost& operator[](std::uint32_t index) const { return costs_[index]; }
  /// Returns whether some requested cost was out of range.
  bool overflow() const { return overflow_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Key {
    std::uint64_t bytes = 0;
    std::uint32_t kind = 0;
    bool operator==(const Key&) const = default;
  };
  struct Slot {
    Key key;
    std::uint32_t index = kNone;
  };
  std::size_t hash(const Key& key) const {
    return ((key.bytes * 8 + key.kind) * 0x9e3779b97f4a7c15ull) >> 32;
  }
  std::uint32_t add(const Key& key, std::uint32_t link, trace::Mode mode);
  void insert(const Slot& slot);
  void grow();

  const Platform& platform_;
  Time least_;
  std::vector<MessageCost> costs_;
  std::vector<Slot> slots_;
  bool overflow_ = false;
};

}  // namespace parcast::simulate
