// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only, a part of the plain interpreter: interfaces and interconnect, as the routes of messages.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "predict/simulate/extrap/parameters.h"

namespace parcast::simulate::extrap::reference {

__extension__ using Wide = __int128;
inline Time product(std::uint64_t m, Rate x) {
  return static_cast<Time>((static_cast<Wide>(m) * x + (Wide{1} << 31)) >> 32);
}

struct Message {
  std::int32_t source = 0, target = 0, tag = 0;
  std::uint32_t communicator = 0;
  std::uint64_t bytes = 0, number = 0;
  bool collective = false;
  struct Wanted* asked_by = nullptr;  // of a request and its reply
  bool is_request = false;
  std::uint64_t reply_bytes = 0;
  std::vector<std::pair<std::int32_t, int>> way;  // media of the route: node and direction
};

/// A receive, or the reply of an access.
struct Wanted {
  std::int32_t source = 0, tag = 0;
  std::uint32_t communicator = 0;
  bool collective = false, done = false;
  Message* message = nullptr;
  std::uint64_t place = 0;  // of the message in the queue

  bool fits(const Message& m) const {
    return collective == m.collective && communicator == m.communicator &&
           (source == trace::kAny || source == m.source) && (tag == trace::kAny ? m.tag >= 0 : tag == m.tag);
  }
};

class Network {
 public:
  /// `moments`: times at which something happens.
  Network(const Parameters& parameters, std::int32_t nodes, std::set<Time>& moments)
      : p_(parameters), nodes_(nodes), moments_(moments) {}

  // time; ties: "lower sending rank, then its order of sending"
  using Key = std::tuple<Time, std::int32_t, std::uint64_t>;
  static Key key(Time time, const Message& message) { return {time, message.source, message.number}; }

  void hand_over(Message& message, Time now) {
    Time& free = sending_free_[message.source];
    free = std::max(free, now) + p_.to_network_startup + product(message.bytes, p_.byte_to_network);
    if (message.source == message.target) return come(message, free + 1);
    const int up = (message.target - message.source + nodes_) % nodes_, way = 2 * up <= nodes_ ? 1 : -1;
    if (p_.topology == Topology::shared) message.way = {{0, 0}};
    if (p_.topology == Topology::ring_with_contention)
      for (int at = message.source; at != message.target; at = (at + way + nodes_) % nodes_)
        message.way.push_back({at, way});
    asking_[key(free, message)] = &message;
    moments_.insert(free);
  }

  /// At one moment, in the order of senders: gives each message the next medium on its route, or lets it
  /// arrive.
  void use(Time now) {
    while (!asking_.empty() && std::get<0>(asking_.begin()->first) <= now) {
      Message& message = *asking_.begin()->second;
      asking_.erase(asking_.begin());
      const Time alone = transfer(message.bytes);
      if (message.way.empty()) {  // nothing to wait for
        const int up = (message.target - message.source + nodes_) % nodes_, steps = std::min(up, nodes_ - up);
        Time takes = alone;
        if (p_.topology == Topology::ring) takes = steps * alone;
        if (p_.topology == Topology::pipelined_ring) takes = (steps - 1) * p_.comm_startup + alone;
        come(message, now + takes);
        continue;
      }
      Time& free = media_free_[message.way.front()];
      message.way.erase(message.way.begin());
      free = std::max(free, now) + alone;
      if (message.way.empty()) {
        come(message, free);
        continue;
      }
      asking_[key(free, message)] = &message;
      moments_.insert(free);
    }
  }

  void come(Message& message, Time arrival) {
    Time& last = last_[{message.source, message.target}];
    last = std::max(last, arrival);
    arriving_[key(last, message)] = &message;
    moments_.insert(last);
  }

  void arrive(Time now) {
    while (!arriving_.empty() && std::get<0>(arriving_.begin()->first) <= now) {
      Message& message = *arriving_.begin()->second;
      arriving_.erase(arriving_.begin());
      Time& free = receiving_free_[message.target];
      free = std::max(free, now) + p_.add_startup + p_.add_try + p_.add;
      coming_[key(free, message)] = &message;
      moments_.insert(free);
    }
  }

  /// Returns the next message that is in its receiver's queue by now; null if there is none.
  Message* next_available(Time now) {
    if (coming_.empty() || std::get<0>(coming_.begin()->first) > now) return nullptr;
    Message* message = coming_.begin()->second;
    coming_.erase(coming_.begin());
    return message;
  }

 private:
  /// "Nothing crosses a link, a medium or the interconnect in less than 1 ps."
  Time transfer(std::uint64_t m) const {
    return std::max<Time>(1, p_.comm_startup + product(m, p_.byte_transfer));
  }

  const Parameters& p_;
  std::int32_t nodes_;
  std::set<Time>& moments_;
  std::map<Key, Message*> asking_, arriving_, coming_;
  std::map<std::int32_t, Time> sending_free_, receiving_free_;
  std::map<std::pair<std::int32_t, int>, Time> media_free_;
  std::map<std::pair<std::int32_t, std::int32_t>, Time> last_;
};

}  // namespace parcast::simulate::extrap::reference
