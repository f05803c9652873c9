// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages on their way to one receiving interface, in the order in which it serves them. They are added
// nearly in that order, so they form a sorted list with most insertions at its end. A message may have to
// move far ahead of others (a root that gathers from all ranks). Then the list becomes a heap until it is
// empty; a sorted list already is a valid heap.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace parcast::simulate {

struct Arrival {
  trace::Time head = 0;
  std::uint64_t sender = 0;  // source in the upper half, order in the lower
  std::uint32_t message = 0;
  Arrival(trace::Time at, std::int32_t source, std::uint32_t order, std::uint32_t index)
      : head(at), sender(static_cast<std::uint64_t>(source) << 32 | order), message(index) {}
  bool before(const Arrival& other) const {
    return head < other.head || (head == other.head && sender < other.sender);
  }
};

class Arrivals {
 public:
  bool empty() const { return first_ == entries_.size(); }
  const Arrival& first() const { return entries_[first_]; }
  void push(const Arrival& arrival) {
    if (!is_heap_) {
      if (first_ >= kServed && first_ > entries_.size() / 2) forget_served();
      entries_.push_back(arrival);
      if (settle(arrival)) return;
      become_heap();
    } else {
      entries_.push_back(arrival);
    }
    std::push_heap(entries_.begin(), entries_.end(), later);
  }
  void pop() {
    if (is_heap_) {
      std::pop_heap(entries_.begin(), entries_.end(), later);
      entries_.pop_back();
    } else {
      ++first_;
    }
    if (!empty()) return;
    entries_.clear();
    first_ = 0;
    is_heap_ = false;
  }
  /// Iterates over all entries, in no order.
  const Arrival* begin() const { return entries_.data() + first_; }
  const Arrival* end() const { return entries_.data() + entries_.size(); }
  /// Moves all arrivals later by `by`.
  void shift(trace::Time by) {
    for (Arrival& arrival : entries_) arrival.head += by;
  }

 private:
  static constexpr std::size_t kFar = 32;
  // served entries kept at most, so that the memory in use stays small
  static constexpr std::size_t kServed = 8;
  static bool later(const Arrival& a, const Arrival& b) { return b.before(a); }
  /// Moves the last entry from the end to its place. Returns false, without moving it, when the place is far.
  bool settle(const Arrival& arrival) {
    const std::size_t last = entries_.size() - 1;
    if (last - first_ > kFar && arrival.before(entries_[last - kFar])) return false;
    std::size_t at = last;
    for (; at > first_ && arrival.before(entries_[at - 1]); --at) entries_[at] = entries_[at - 1];
    entries_[at] = arrival;
    return true;
  }
  void forget_served() {
    entries_.erase(entries_.begin(), entries_.begin() + first_);
    first_ = 0;
  }
  void become_heap() {
    forget_served();
    is_heap_ = true;
  }

  std::vector<Arrival> entries_;
  std::uint32_t first_ = 0;  // entries before it were served
  bool is_heap_ = false;
};

}  // namespace parcast::simulate
