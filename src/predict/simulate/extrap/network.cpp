// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/extrap/network.h"

#include <algorithm>

#include "predict/simulate/costs.h"

namespace parcast::simulate::extrap {
namespace {

constexpr Time kOwnDelay = 1;  // picosecond from the own sending interface to the own receiving interface

/// A run that reaches kLongest + 1 is refused.
Time later(Time time, Wide by) {
  return static_cast<Time>(std::min<Wide>(time + by, trace::kLongest + 1));
}

}  // namespace

Network::Network(const Parameters& parameters, std::int32_t nodes, Agenda& agenda, Pool<Message>& messages)
    : parameters_(parameters),
      nodes_(nodes),
      agenda_(agenda),
      messages_(messages),
      sending_free_(static_cast<std::size_t>(nodes)),
      receiving_free_(sending_free_) {
  if (parameters.topology == Topology::ring_with_contention) up_free_ = down_free_ = sending_free_;
}

std::int32_t Network::distance(std::int32_t from, std::int32_t to) const {
  const std::int32_t apart = std::abs(to - from);
  return std::min(apart, nodes_ - apart);
}

std::int32_t Network::direction(std::int32_t from, std::int32_t to) const {
  const std::int32_t up = to >= from ? to - from : to - from + nodes_;
  return 2 * std::int64_t{up} <= nodes_ ? 1 : -1;
}

void Network::hand_over(std::uint32_t index, Time now) {
  const Message& message = messages_[index];
  Time& free = sending_free_[static_cast<std::size_t>(message.source)];
  free = later(std::max(free, now), parameters_.to_network(message.bytes));
  if (message.source == message.target) return deliver(index, later(free, kOwnDelay));
  agenda_.push({free, Happening::enter, 0, message.source, message.order, index});
}

void Network::enter(std::uint32_t index, Time now) {
  Message& message = messages_[index];
  message.at = message.source;
  const Time transfer = parameters_.transfer(message.bytes);
  const Wide hops = distance(message.source, message.target);
  switch (parameters_.topology) {
    case Topology::fully_connected:
      return deliver(index, later(now, transfer));
    case Topology::ring:
      return deliver(index, later(now, hops * transfer));
    case Topology::pipelined_ring:
      return deliver(index, later(now, (hops - 1) * parameters_.comm_startup + transfer));
    case Topology::shared:
      medium_free_ = later(std::max(medium_free_, now), transfer);
      return deliver(index, medium_free_);
    case Topology::ring_with_contention:
      break;
  }
  agenda_.push({now, Happening::hop, 0, message.source, message.order, index});
}

/// Moves over one link of a ring when that link becomes free.
void Network::hop(std::uint32_t index, Time now) {
  Message& message = messages_[index];
  const std::int32_t way = direction(message.at, message.target);
  Time& free = (way > 0 ? up_free_ : down_free_)[static_cast<std::size_t>(message.at)];
  free = later(std::max(free, now), parameters_.transfer(message.bytes));
  message.at = (message.at + way + nodes_) % nodes_;
  if (message.at == message.target) return deliver(index, free);
  agenda_.push({free, Happening::hop, 0, message.source, message.order, index});
}

/// Messages of a pair keep their order.
void Network::deliver(std::uint32_t index, Time arrival) {
  const Message& message = messages_[index];
  Time& last = last_arrival_[static_cast<std::uint64_t>(message.source) << 32 |
                             static_cast<std::uint32_t>(message.target)];
  last = std::max(arrival, last);
  agenda_.push({last, Happening::arrive, message.target, message.source, message.order, index});
}

void Network::arrive(std::uint32_t index, Time now) {
  Message& message = messages_[index];
  Time& free = receiving_free_[static_cast<std::size_t>(message.target)];
  free = later(std::max(free, now), parameters_.adding());
  message.available = free;
  agenda_.push({free, Happening::available, message.target, message.source, message.order, index});
}

}  // namespace parcast::simulate::extrap
