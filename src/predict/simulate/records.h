// SPDX-License-Identifier: Apache-2.0
#pragma once
// Records of messages, requests and channels in the simulation.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "predict/simulate/platform.h"

namespace parcast::simulate {

/// Limits a time to just above the longest one. Such a run is refused, and nothing overflows until then.
inline Time within(Time time) {
  return std::min(time, trace::kLongest + 1);
}

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr Time kUnknown = -1;

/// Fills a cache line.
struct alignas(64) Message {
  Time head = kUnknown;       // when its data's head arrives; unknown until it has left
  Time available = kUnknown;  // when it can be received; unknown until the interface has served it
  Time envelope = kUnknown;   // when it can be matched and answered
  std::int32_t source = 0, target = 0;
  std::uint32_t order = 0;  // number among the source's send calls
  std::uint32_t cost = 0;
  std::uint32_t operation = kNone;  // of the trace; kNone: of a collective
  // requests: the receive that it matched; that of its sender (rendezvous)
  std::uint32_t receive = kNone, send = kNone;
  std::uint32_t next = kNone;  // in its channel
  std::uint32_t next_of_pair = kNone;
  bool arrived = false;  // the envelope has arrived
  bool answered = false;
  bool listed = false;  // in its pair, which must release it
  bool received = false;
  Time known() const { return std::max(head, envelope); }
  /// Returns whether it writes to another rank's memory: the sender waits for the end, and nothing is
  /// matched. Valid when it leaves.
  bool is_write() const { return send != kNone && envelope == kUnknown; }
};
static_assert(sizeof(Message) == 64);

struct alignas(32) Request {
  Time time = 0;  // receive: when posted; send, lock: when complete
  std::int32_t rank = 0;
  std::uint32_t message = kNone;  // receive: the message that it matched
  std::uint32_t operation = kNone;
  std::uint32_t next = kNone;    // in its channel; of a lock: number of owners that have not granted it
  std::uint32_t number = kNone;  // among the rank's requests; kNone: no wait names it
  bool receive = false;
  bool complete = false;   // send: its time is known
  bool awaited = false;    // the rank waits for it now
  bool forgotten = false;  // no wait can name it any more
};

/// Records by index, with reuse: returned records form a list by their `next`.
template <class T>
class Pool {
 public:
  std::uint32_t take() { return put(T{}); }
  std::uint32_t put(const T& record) {
    const std::uint32_t index = free_;
    if (index == kNone) return records_.push_back(record), static_cast<std::uint32_t>(records_.size() - 1);
    free_ = records_[index].next;
    records_[index] = record;
    return index;
  }
  void give(std::uint32_t index) {
    records_[index].next = free_;
    free_ = index;
  }
  T& operator[](std::uint32_t index) { return records_[index]; }
  const T& operator[](std::uint32_t index) const { return records_[index]; }
  /// Returns all records ever taken, including returned ones.
  std::vector<T>& all() { return records_; }
  const std::vector<T>& all() const { return records_; }

 private:
  std::vector<T> records_;
  std::uint32_t free_ = kNone;
};

/// A list of indices in memory owned by another object, which must have enough room.
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

/// A queue: messages without a receive, or receives without a message.
struct Channel {
  std::uint32_t first = kNone, last = kNone;
  bool of_messages = false;
};

template <class T>
void append(Channel& channel, Pool<T>& pool, std::uint32_t index) {
  if (channel.first == kNone)
    channel.first = index;
  else
    pool[channel.last].next = index;
  channel.last = index;
}

template <class T>
std::uint32_t take_first(Channel& channel, Pool<T>& pool) {
  const std::uint32_t index = channel.first;
  channel.first = pool[index].next;
  pool[index].next = kNone;
  return index;
}

}  // namespace parcast::simulate
