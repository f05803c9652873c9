// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the simulation keeps of messages, requests and events.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "predict/simulate/platform.h"

namespace parcast::simulate {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr Time kUnknown = -1;

/// Of a cache line.
struct alignas(64) Message {
  Time head = kUnknown;       // when its data's head arrives; unknown until it left
  Time available = kUnknown;  // when it can be received; unknown until the interface served it
  Time envelope = kUnknown;   // when it can be matched and answered
  std::int32_t source = 0, target = 0;
  std::uint32_t order = 0;    // of the source's send calls
  std::uint32_t cost = 0;
  std::uint32_t operation = kNone;  // of the trace; kNone: of a collective
  std::uint32_t receive = kNone, send = kNone;  // requests: that it matched; of its sender (rendezvous)
  std::uint32_t next = kNone;        // in its channel
  std::uint32_t next_of_pair = kNone;
  bool arrived = false;       // the envelope
  bool answered = false;
  bool listed = false;        // in its pair, which must release it
  bool received = false;
  Time known() const { return std::max(head, envelope); }
};
static_assert(sizeof(Message) == 64);

struct alignas(32) Request {
  Time time = 0;              // receive: posted at; send: complete at
  std::int32_t rank = 0;
  std::uint32_t message = kNone;    // receive: that it matched
  std::uint32_t operation = kNone;
  std::uint32_t next = kNone;       // in its channel
  std::uint32_t number = kNone;     // of the rank's requests; kNone: no wait names it
  bool receive = false;
  bool complete = false;      // send: its time is known
  bool awaited = false;       // the rank waits for it now
  bool forgotten = false;     // no wait can name it any more
};

/// Records by index, used again.
template <class T>
class Pool {
 public:
  std::uint32_t take() {
    if (free_.empty()) return records_.emplace_back(), static_cast<std::uint32_t>(records_.size() - 1);
    const std::uint32_t index = free_.back();
    free_.pop_back();
    records_[index] = T{};
    return index;
  }
  void give(std::uint32_t index) { free_.push_back(index); }
  T& operator[](std::uint32_t index) { return records_[index]; }
  const T& operator[](std::uint32_t index) const { return records_[index]; }
  /// All that were ever taken, those given back included.
  std::vector<T>& all() { return records_; }
  const std::vector<T>& all() const { return records_; }

 private:
  std::vector<T> records_;
  std::vector<std::uint32_t> free_;
};

/// First in, first out: messages without a receive, or receives without a message.
struct Channel {
  std::uint32_t first = kNone, last = kNone;
  bool of_messages = false;
};

template <class T>
void append(Channel& channel, Pool<T>& pool, std::uint32_t index) {
  if (channel.first == kNone) channel.first = index;
  else pool[channel.last].next = index;
  channel.last = index;
}

template <class T>
std::uint32_t take_first(Channel& channel, Pool<T>& pool) {
  const std::uint32_t index = channel.first;
  channel.first = pool[index].next;
  pool[index].next = kNone;
  return index;
}

/// In the order in which the events of one instant are handled.
enum class EventKind : std::uint8_t {
  envelope,  // of `subject`, a message, is at its receiver
  answer,    // to a rendezvous' request is at the sender
  resume,    // a rank goes on
  ask,       // a message asks for the sending interface
};

struct Event {
  Time time = 0;
  EventKind kind = EventKind::resume;
  std::int32_t rank = 0;
  std::int32_t source = 0;
  std::uint32_t order = 0;
  std::uint32_t subject = kNone;
};

/// What is to happen, the earliest first; at one time by kind, rank, source and order. A heap of four children each: flatter
/// than one of two. What was taken leaves a hole at the root, which the next one often fills.
class Agenda {
 public:
  bool empty() const { return size() == 0; }
  std::size_t size() const { return entries_.size() - begin(); }
  Event operator[](std::size_t i) const { return event_of(entries_[begin() + i]); }  // in no order
  Time first() const { return static_cast<Time>((hole_ ? entries_[least_child(0)] : entries_[0]).time); }
  void push(const Event& event) {
    const auto kind = static_cast<std::uint64_t>(event.kind);
    const Entry entry{static_cast<std::uint64_t>(event.time), kind << 62 | static_cast<std::uint64_t>(event.rank) << 31 | static_cast<std::uint64_t>(event.source), event.order, event.subject};
    if (hole_) {
      hole_ = false;
      return sink(entry);
    }
    std::size_t at = entries_.size();
    entries_.push_back(entry);
    for (; at > 0 && entry.before(entries_[(at - 1) / kChildren]); at = (at - 1) / kChildren) entries_[at] = entries_[(at - 1) / kChildren];
    entries_[at] = entry;
  }
  Event pop() {
    if (hole_) {
      const Entry last = entries_.back();
      entries_.pop_back();
      sink(last);
    }
    hole_ = true;
    return event_of(entries_[0]);
  }
  /// All of it that much later.
  void shift(Time by) {
    for (Entry& entry : entries_) entry.time += static_cast<std::uint64_t>(by);
  }

 private:
  struct Entry {
    std::uint64_t time, who;
    std::uint32_t order, subject;
    bool before(const Entry& other) const {
      const Key mine = static_cast<Key>(time) << 64 | who, others = static_cast<Key>(other.time) << 64 | other.who;
      return mine < others || (mine == others && order < other.order);
    }
  };
  static constexpr std::size_t kChildren = 4;
  __extension__ using Key = unsigned __int128;

  static Event event_of(const Entry& entry) {
    constexpr std::uint64_t kRank = (std::uint64_t{1} << 31) - 1;
    return {static_cast<Time>(entry.time), static_cast<EventKind>(entry.who >> 62), static_cast<std::int32_t>(entry.who >> 31 & kRank), static_cast<std::int32_t>(entry.who & kRank), entry.order, entry.subject};
  }
  std::size_t begin() const { return hole_ ? 1 : 0; }
  /// There is at least one.
  std::size_t least_child(std::size_t of) const {
    const std::size_t first = of * kChildren + 1, end = std::min(first + kChildren, entries_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child)
      if (entries_[child].before(entries_[least])) least = child;
    return least;
  }
  /// From the root to where it belongs; the root's own entry is lost.
  void sink(const Entry& entry) {
    std::size_t at = 0;
    while (at * kChildren + 1 < entries_.size()) {
      const std::size_t child = least_child(at);
      if (!entries_[child].before(entry)) break;
      entries_[at] = entries_[child];
      at = child;
    }
    entries_[at] = entry;
  }

  std::vector<Entry> entries_;
  bool hole_ = false;  // entries_[0] was taken
};

/// A message on its way to the receiving interface.
struct Arrival {
  Time head = 0;
  std::uint64_t sender = 0;   // source and order
  std::uint32_t message = kNone;
  Arrival(Time at, std::int32_t source, std::uint32_t order, std::uint32_t index) : head(at), sender(static_cast<std::uint64_t>(source) << 32 | order), message(index) {}
  /// The heap's first is the earliest.
  bool operator<(const Arrival& other) const { return head > other.head || (head == other.head && sender > other.sender); }
};

}  // namespace parcast::simulate
