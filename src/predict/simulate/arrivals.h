// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages on their way to one receiving interface, the first that it serves at the front. They come nearly in the order in which
// they are served: a sorted list, into which most are put at the end. Where one must go far ahead of others (a root that gathers
// from all), all are a heap until they are served; a sorted list is one already.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace parcast::simulate {

struct Arrival {
  trace::Time head = 0;
  std::uint64_t sender = 0;   // source and order
  std::uint32_t message = 0;
  Arrival(trace::Time at, std::int32_t source, std::uint32_t order, std::uint32_t index) : head(at), sender(static_cast<std::uint64_t>(source) << 32 | order), message(index) {}
  bool before(const Arrival& other) const { return head < other.head || (head == other.head && sender < other.sender); }
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
  /// In no order.
  const Arrival* begin() const { return entries_.data() + first_; }
  const Arrival* end() const { return entries_.data() + entries_.size(); }
  /// All of them that much later.
  void shift(trace::Time by) {
    for (Arrival& arrival : entries_) arrival.head += by;
  }

 private:
  static constexpr std::size_t kFar = 32;
  static constexpr std::size_t kServed = 8;   // so few that were served are kept: what is in use stays in little memory
  static bool later(const Arrival& a, const Arrival& b) { return b.before(a); }
  /// From the end to where it belongs, or not at all if that is far.
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
  std::uint32_t first_ = 0;   // those before were served
  bool is_heap_ = false;
};

}  // namespace parcast::simulate
