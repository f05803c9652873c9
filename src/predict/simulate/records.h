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

struct Message {
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
  Time answer_takes = kUnknown;      // of what is written to the memory of another rank
  bool arrived = false;       // the envelope
  bool answered = false;
  bool listed = false;        // in its pair, which must release it
  bool received = false;
  Time known() const { return std::max(head, envelope); }
};

struct Request {
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

/// What is to happen, the earliest first; at one time by kind, rank, source and order.
class Agenda {
 public:
  bool empty() const { return entries_.empty(); }
  Time first() const { return static_cast<Time>(entries_.front().time); }
  void push(const Event& event) {
    const auto kind = static_cast<std::uint64_t>(event.kind);
    entries_.push_back({static_cast<std::uint64_t>(event.time), kind << 62 | static_cast<std::uint64_t>(event.rank) << 31 | static_cast<std::uint64_t>(event.source), event.order, event.subject});
    std::push_heap(entries_.begin(), entries_.end());
  }
  Event pop() {
    std::pop_heap(entries_.begin(), entries_.end());
    const Entry entry = entries_.back();
    entries_.pop_back();
    constexpr std::uint64_t kRank = (std::uint64_t{1} << 31) - 1;
    return {static_cast<Time>(entry.time), static_cast<EventKind>(entry.who >> 62), static_cast<std::int32_t>(entry.who >> 31 & kRank), static_cast<std::int32_t>(entry.who & kRank), entry.order, entry.subject};
  }

 private:
  struct Entry {
    std::uint64_t time, who;
    std::uint32_t order, subject;
    /// The heap's first is the earliest.
    bool operator<(const Entry& other) const {
      const Key mine = static_cast<Key>(time) << 64 | who, others = static_cast<Key>(other.time) << 64 | other.who;
      return mine > others || (mine == others && order > other.order);
    }
  };
  __extension__ using Key = unsigned __int128;
  std::vector<Entry> entries_;
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
