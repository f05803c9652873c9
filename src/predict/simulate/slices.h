// SPDX-License-Identifier: Apache-2.0
#pragma once
// Queue of ranks by slices of time: ranks of one slice come in any order, slices in order. Assume that no
// action of a rank reaches another rank within the length of a slice. Then the simulation gives the same
// result as in order of time. Finding the next rank takes a few steps for any number of ranks. It is a radix
// heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990). The part of the heap that holds a rank is the highest bit in
// which its slice's number differs from the current one. When a part is reached, its ranks move to lower
// parts.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace parcast::simulate {

class Slices {
 public:
  struct Entry {
    trace::Time time = 0;
    std::int32_t rank = 0;
  };
  /// The length of a slice is the largest power of two not above `longest`, at least 1 ps.
  explicit Slices(trace::Time longest)
      : shift_(longest < 2 ? 0
                           : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(longest))) - 1) {
  }

  /// `time` must not be before start().
  void push(std::int32_t rank, trace::Time time) {
    const int part = std::bit_width(number_of(time) ^ present_);
    parts_[static_cast<std::size_t>(part)].push_back({time, rank});
    filled_ |= std::uint64_t{1} << part;
  }
  bool empty() const { return filled_ == 0; }
  /// Removes a rank of the earliest slice, which becomes the current one. The queue must not be empty.
  Entry pop() {
    if ((filled_ & 1) == 0) advance();
    const Entry entry = parts_[0].back();
    parts_[0].pop_back();
    filled_ -= parts_[0].empty() ? 1 : 0;
    return entry;
  }
  /// Returns the start of the current slice; later pushes are not before it.
  trace::Time start() const { return static_cast<trace::Time>(present_ << shift_); }
  /// Returns the remaining ranks of the current slice; the last one is popped next.
  const std::vector<Entry>& left() const { return parts_[0]; }

 private:
  std::uint64_t number_of(trace::Time time) const { return static_cast<std::uint64_t>(time) >> shift_; }
  /// Moves to the next slice that has a rank.
  void advance() {
    std::vector<Entry>& first = parts_[static_cast<std::size_t>(std::countr_zero(filled_))];
    filled_ &= filled_ - 1;
    trace::Time earliest = first.front().time;
    for (const Entry& entry : first) earliest = std::min(earliest, entry.time);
    present_ = number_of(earliest);
    for (const Entry& entry : first) push(entry.rank, entry.time);
    first.clear();
  }

  unsigned shift_;
  std::uint64_t present_ = 0;                 // the current slice's number
  std::uint64_t filled_ = 0;                  // one bit for each part
  std::array<std::vector<Entry>, 64> parts_;  // times are below 2^63
};

}  // namespace parcast::simulate
