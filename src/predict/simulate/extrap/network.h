// SPDX-License-Identifier: Apache-2.0
#pragma once
// Network interfaces and the interconnect: from the handover by the sending processor until the message is in
// its receiver's queue. docs/models/extrap.md, "A message" and "Interconnect".

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "predict/simulate/extrap/agenda.h"
#include "predict/simulate/extrap/parameters.h"
#include "predict/simulate/records.h"

namespace parcast::simulate::extrap {

struct Message {
  enum class Sort : std::uint8_t { data, request, reply };
  Sort sort = Sort::data;
  std::int32_t source = 0, target = 0;
  std::uint32_t order = 0;  // number among the source's messages
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;  // of data: for matching
  std::uint32_t communicator = 0;
  bool collective = false;
  std::uint32_t access = kNone;  // of a request and its reply: the accessor's record
  std::uint64_t returned = 0;    // of a request: bytes of the reply
  std::uint32_t number = 0;      // in its receiver's queue
  Time available = kUnknown;
  std::int32_t at = 0;         // on a ring: the node that it has reached
  std::uint32_t next = kNone;  // in the list of free records
};

class Network {
 public:
  Network(const Parameters& parameters, std::int32_t nodes, Agenda& agenda, Pool<Message>& messages);

  /// The source's processor hands a message over.
  void hand_over(std::uint32_t message, Time now);
  /// Called for events of the agenda.
  void enter(std::uint32_t message, Time now);
  void hop(std::uint32_t message, Time now);
  void arrive(std::uint32_t message, Time now);

  /// Returns the steps between two nodes of a ring, in the shorter direction.
  std::int32_t distance(std::int32_t from, std::int32_t to) const;

 private:
  /// Returns +1 or -1; +1 when both directions are equally long.
  std::int32_t direction(std::int32_t from, std::int32_t to) const;
  void deliver(std::uint32_t message, Time arrival);

  const Parameters& parameters_;
  std::int32_t nodes_;
  Agenda& agenda_;
  Pool<Message>& messages_;
  std::vector<Time> sending_free_, receiving_free_;       // interfaces, by node
  std::vector<Time> up_free_, down_free_;                 // a ring's links that leave a node
  Time medium_free_ = 0;                                  // of the shared medium
  std::unordered_map<std::uint64_t, Time> last_arrival_;  // by source and target
};

}  // namespace parcast::simulate::extrap
