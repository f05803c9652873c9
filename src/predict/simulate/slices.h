// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks that go on, by slices of time: those of one slice in any order, slices in order. Where nothing that a rank does reaches another
// sooner than a slice is long, what is simulated is the same as in order of time, and to find the next rank takes a few steps however many
// there are. A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990): a rank lies in the heap's part that the highest bit tells in which its
// slice's number differs from the present one's; when a part is reached, its ranks move to lower ones.

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
  /// Slices are as long as the largest power of two that `longest` reaches, at least 1 ps.
  explicit Slices(trace::Time longest) : shift_(longest < 2 ? 0 : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(longest))) - 1) {}

  /// At a time that is not before start().
  void push(std::int32_t rank, trace::Time time) {
    const int part = std::bit_width(number_of(time) ^ present_);
    parts_[static_cast<std::size_t>(part)].push_back({time, rank});
    filled_ |= std::uint64_t{1} << part;
  }
  bool empty() const { return filled_ == 0; }
  /// Where it is not empty: one of the earliest slice, which is the present one from then on.
  Entry pop() {
    if ((filled_ & 1) == 0) advance();
    const Entry entry = parts_[0].back();
    parts_[0].pop_back();
    filled_ -= parts_[0].empty() ? 1 : 0;
    return entry;
  }
  /// Of the present slice; what is to come is not before it.
  trace::Time start() const { return static_cast<trace::Time>(present_ << shift_); }
  /// The ranks of the present slice that are left; the last goes on next.
  const std::vector<Entry>& left() const { return parts_[0]; }

 private:
  std::uint64_t number_of(trace::Time time) const { return static_cast<std::uint64_t>(time) >> shift_; }
  /// To the next slice in which some rank goes on.
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
  std::uint64_t present_ = 0;                  // the present slice's number
  std::uint64_t filled_ = 0;                   // a bit for each part
  std::array<std::vector<Entry>, 64> parts_;   // times are below 2^63
};

}  // namespace parcast::simulate
