// SPDX-License-Identifier: Apache-2.0
#pragma once
// The events of a simulation in order of time. Most of them resume ranks, and each rank has at most one such
// event. Ranks therefore have a winner tree with one leaf per rank: a change compares only the pairs on the
// path to the root.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "predict/simulate/records.h"

namespace parcast::simulate {

/// Kinds in the order in which events of one instant are handled.
enum class EventKind : std::uint8_t {
  envelope,  // the envelope of `subject`, a message, is at its receiver
  answer,    // the answer to a rendezvous request is at the sender
  resume,    // a rank continues
  ask,       // a message requests the sending interface
  // of the message `subject`: it is at the lock's owner and releases (unlock) or requests (lock) a lock
  unlock,
  lock,
};

struct Event {
  Time time = 0;
  EventKind kind = EventKind::resume;
  std::int32_t rank = 0;
  std::int32_t source = 0;
  std::uint32_t order = 0;
  std::uint32_t subject = kNone;
};

/// Finds the rank that continues first; of several at one time the lowest. Each node holds the earlier of its
/// two children; ranks without an event come after all times.
class RankTree {
 public:
  explicit RankTree(std::size_t ranks)
      : leaves_(std::bit_ceil(std::max<std::size_t>(ranks, 2))), nodes_(2 * leaves_) {
    for (std::size_t at = 0; at < leaves_; ++at) nodes_[leaves_ + at].rank = static_cast<std::int32_t>(at);
    for (std::size_t at = leaves_ - 1; at > 0; --at) nodes_[at] = nodes_[2 * at];
  }
  bool empty() const { return nodes_[1].time == kNever; }
  Time first() const { return nodes_[1].time; }
  std::int32_t first_rank() const { return nodes_[1].rank; }
  /// The rank must not be in the tree.
  void push(std::int32_t rank, Time time) {
    std::size_t at = leaves_ + static_cast<std::size_t>(rank);
    for (const Node entry{time, rank}; at > 0 && entry.before(nodes_[at]); at /= 2) nodes_[at] = entry;
  }
  /// The tree must not be empty.
  void pop() {
    std::size_t at = leaves_ + static_cast<std::size_t>(nodes_[1].rank);
    Node winner{kNever, nodes_[1].rank};
    for (nodes_[at] = winner; at > 1; nodes_[at] = winner) {
      const Node sibling = nodes_[at ^ 1];
      // at equal times the left one wins
      const bool loses = sibling.time < winner.time + static_cast<Time>(at & 1);
      winner.time = loses ? sibling.time : winner.time;
      winner.rank = loses ? sibling.rank : winner.rank;
      at /= 2;
    }
  }
  void shift(Time by) {
    for (Node& node : nodes_)
      if (node.time != kNever) node.time += by;
  }
  template <class Take>
  void for_each(Take take) const {
    for (std::size_t at = leaves_; at < nodes_.size(); ++at)
      if (nodes_[at].time != kNever) take(nodes_[at].rank, nodes_[at].time);
  }

 private:
  static constexpr Time kNever = std::numeric_limits<Time>::max() - 1;
  struct Node {
    Time time = kNever;
    std::int32_t rank = 0;
    bool before(const Node& other) const {
      return time < other.time || (time == other.time && rank < other.rank);
    }
  };
  std::size_t leaves_;
  std::vector<Node> nodes_;  // the root is [1], the children of [i] are [2 i] and [2 i + 1]
};

/// Events at one time are ordered by kind, rank, source and order.
class Agenda {
 public:
  explicit Agenda(std::size_t ranks) : ranks_(ranks) {}
  bool empty() const { return ranks_.empty() && messages_.empty(); }
  /// The agenda must not be empty.
  Time first() const {
    return messages_.empty() ? ranks_.first() : std::min(ranks_.first(), messages_.front().time);
  }
  void resume(std::int32_t rank, Time time) { ranks_.push(rank, time); }
  /// Adds an event of a message.
  void push(const Event& event) {
    messages_.push_back(event);
    std::push_heap(messages_.begin(), messages_.end(), later);
  }
  Event pop() {
    const Event rank{.time = ranks_.first(), .kind = EventKind::resume, .rank = ranks_.first_rank()};
    if (messages_.empty() || (!ranks_.empty() && !later(rank, messages_.front()))) return ranks_.pop(), rank;
    std::pop_heap(messages_.begin(), messages_.end(), later);
    const Event event = messages_.back();
    messages_.pop_back();
    return event;
  }
  /// Returns the rank that continues next if no message event comes before it.
  std::int32_t next_rank() const { return ranks_.first_rank(); }
  /// Moves all events later by `by`.
  void shift(Time by) {
    ranks_.shift(by);
    for (Event& event : messages_) event.time += by;
  }
  /// Calls `take` for every event, in no order.
  template <class Take>
  void for_each(Take take) const {
    ranks_.for_each([&](std::int32_t rank, Time time) {
      take(Event{.time = time, .kind = EventKind::resume, .rank = rank});
    });
    for (const Event& event : messages_) take(event);
  }

 private:
  static bool later(const Event& a, const Event& b) {
    return std::tie(a.time, a.kind, a.rank, a.source, a.order) >
           std::tie(b.time, b.kind, b.rank, b.source, b.order);
  }
  RankTree ranks_;
  std::vector<Event> messages_;  // a heap
};

}  // namespace parcast::simulate
