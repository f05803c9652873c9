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
  /// When it leaves: of what is written to another rank's memory the sender waits for the end, and nothing is matched.
  bool is_write() const { return send != kNone && envelope == kUnknown; }
};
static_assert(sizeof(Message) == 64);

struct alignas(32) Request {
  Time time = 0;              // receive: posted at; send, lock: complete at
  std::int32_t rank = 0;
  std::uint32_t message = kNone;    // receive: that it matched
  std::uint32_t operation = kNone;
  std::uint32_t next = kNone;       // in its channel; of a lock: owners that have not granted it
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

/// Indices in memory that another owns, as many as it has room for.
class List {
 public:
  List() = default;
  explicit List(std::uint32_t* memory) : data_(memory) {}
  void push_back(std::uint32_t index) { data_[size_++] = index; }
  void assign(std::uint32_t count, std::uint32_t index) { std::fill_n(data_, size_ = count, index); }
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  std::uint32_t& operator[](std::uint32_t i) { return data_[i]; }
  std::uint32_t operator[](std::uint32_t i) const { return data_[i]; }
  const std::uint32_t* begin() const { return data_; }
  const std::uint32_t* end() const { return data_ + size_; }

 private:
  std::uint32_t* data_ = nullptr;
  std::uint32_t size_ = 0;
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
  unlock,    // these two of `subject`, what gives a lock back or asks for one, are at the owner
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

/// The least first: a heap of four children each, flatter than one of two. What was taken leaves a hole at the root, which the
/// next one often fills. Entry has before().
template <class Entry>
class Heap {
 public:
  bool empty() const { return size() == 0; }
  std::size_t size() const { return entries_.size() - begin(); }
  /// In no order.
  const Entry& operator[](std::size_t i) const { return entries_[begin() + i]; }
  Entry& operator[](std::size_t i) { return entries_[begin() + i]; }
  const Entry& first() const { return hole_ ? entries_[least_child(0)] : entries_[0]; }
  void push(const Entry& entry) {
    if (hole_) {
      hole_ = false;
      return sink(entry);
    }
    std::size_t at = entries_.size();
    entries_.push_back(entry);
    for (; at > 0 && entry.before(entries_[(at - 1) / kChildren]); at = (at - 1) / kChildren) entries_[at] = entries_[(at - 1) / kChildren];
    entries_[at] = entry;
  }
  /// Valid until the next push or pop.
  const Entry& pop() {
    if (hole_) {
      const Entry last = entries_.back();
      entries_.pop_back();
      sink(last);
    }
    hole_ = true;
    return entries_[0];
  }

 private:
  static constexpr std::size_t kChildren = 4;
  std::size_t begin() const { return hole_ ? 1 : 0; }
  /// There is at least one.
  std::size_t least_child(std::size_t of) const {
    const std::size_t first = of * kChildren + 1;
    if (first + kChildren <= entries_.size()) {
      const std::size_t a = entries_[first + 1].before(entries_[first]) ? first + 1 : first;
      const std::size_t b = entries_[first + 3].before(entries_[first + 2]) ? first + 3 : first + 2;
      return entries_[b].before(entries_[a]) ? b : a;
    }
    std::size_t least = first;
    for (std::size_t child = first + 1; child < entries_.size(); ++child)
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

/// What is to happen, the earliest first; at one time by kind, rank, source and order. Ranks that go on, by far the most, have a
/// heap of their own, of small entries.
class Agenda {
 public:
  bool empty() const { return ranks_.empty() && messages_.empty(); }
  std::size_t size() const { return ranks_.size() + messages_.size(); }
  /// In no order.
  Event operator[](std::size_t i) const { return i < ranks_.size() ? event_of(ranks_[i]) : messages_[i - ranks_.size()].event; }
  Time first() const {
    if (messages_.empty()) return time_of(ranks_.first());
    return ranks_.empty() ? messages_.first().event.time : std::min(time_of(ranks_.first()), messages_.first().event.time);
  }
  void resume(std::int32_t rank, Time time) { ranks_.push({static_cast<Key>(time) << 64 | static_cast<std::uint32_t>(rank)}); }
  /// Of a message.
  void push(const Event& event) { messages_.push({event}); }
  Event pop() {
    if (messages_.empty() || (!ranks_.empty() && !messages_.first().before(event_of(ranks_.first())))) return event_of(ranks_.pop());
    return messages_.pop().event;
  }
  /// All of it that much later.
  void shift(Time by) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].key += static_cast<Key>(by) << 64;
    for (std::size_t i = 0; i < messages_.size(); ++i) messages_[i].event.time += by;
  }

 private:
  __extension__ using Key = unsigned __int128;
  struct RankEntry {
    Key key = 0;  // time and rank
    bool before(const RankEntry& other) const { return key < other.key; }
  };
  struct MessageEntry {
    Event event;
    bool before(const Event& other) const {
      return std::tie(event.time, event.kind, event.rank, event.source, event.order) < std::tie(other.time, other.kind, other.rank, other.source, other.order);
    }
    bool before(const MessageEntry& other) const { return before(other.event); }
  };
  static Time time_of(const RankEntry& entry) { return static_cast<Time>(entry.key >> 64); }
  static Event event_of(const RankEntry& entry) { return {.time = time_of(entry), .kind = EventKind::resume, .rank = static_cast<std::int32_t>(entry.key)}; }

  Heap<RankEntry> ranks_;
  Heap<MessageEntry> messages_;
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
