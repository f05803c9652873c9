// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the simulation keeps of messages, requests and events.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
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
  auto key() const { return std::tuple(time, kind, rank, source, order); }
  bool operator<(const Event& other) const { return key() > other.key(); }  // the heap's top is the earliest
};

class Agenda {
 public:
  bool empty() const { return events_.empty(); }
  Time first() const { return events_.front().time; }
  void push(const Event& event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end());
  }
  Event pop() {
    std::pop_heap(events_.begin(), events_.end());
    const Event event = events_.back();
    events_.pop_back();
    return event;
  }

 private:
  std::vector<Event> events_;
};

/// A message on its way to the receiving interface.
struct Arrival {
  Time head = 0;
  std::int32_t source = 0;
  std::uint32_t order = 0;
  std::uint32_t message = kNone;
  auto key() const { return std::tuple(head, source, order); }
  bool operator<(const Arrival& other) const { return key() > other.key(); }
};

}  // namespace parcast::simulate
