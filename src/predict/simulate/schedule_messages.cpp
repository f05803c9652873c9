// SPDX-License-Identifier: Apache-2.0
// Messages between ranks that are graphs: interfaces, envelopes, matching.
#include <algorithm>

#include "predict/simulate/schedule_engine.h"

namespace parcast::simulate {
namespace {

std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
}

bool fits(const trace::GraphOperation& wanted, const Flight& flight) {
  return trace::tag_fits(wanted.tag, flight.tag) &&
         (wanted.peer == trace::kAny || wanted.peer == flight.source);
}

}  // namespace

const MessageCost& ScheduleEngine::send(std::int32_t rank, std::uint32_t operation) {
  const trace::GraphOperation& of = rank_of(rank).graph->operations[operation];
  const std::uint32_t index = flights_.take();
  Flight& flight = flights_[index];
  flight.source = rank, flight.target = of.peer, flight.tag = of.tag;
  flight.order = rank_of(rank).sends++;
  flight.send = operation;
  flight.nic = of.nic;
  flight.cost = costs_.find(platform_.link_between(rank, of.peer), of.amount, trace::Mode::standard);
  ++outcome_.messages;
  outcome_.bytes += of.amount;
  pairs_[pair_key(rank, of.peer)].push(index);
  const MessageCost& costs = cost(flight);
  if (costs.eager)
    push_message(now_ + costs.asks_after, What::ask, rank, index);
  else
    push_message(now_ + costs.sender + costs.request, What::envelope, of.peer, index);
  return costs;
}

/// The message leaves through the sending interface.
void ScheduleEngine::ask(std::uint32_t index) {
  const Flight& flight = flights_[index];
  const MessageCost& of = cost(flight);
  Time& free = rank_of(flight.source).nics[flight.nic].sending_free;
  const Time departure = std::max(now_, free);
  free = within(departure + of.interface);
  const Time there = departure + of.latency;
  push_message(there, What::head, flight.target, index);
  if (of.eager)
    push_message(there, What::envelope, flight.target, index);
  else
    push_operation(free, What::sent, flight.source, flight.send);
}

/// The receiver's interface of the same number serves the message.
void ScheduleEngine::head(std::uint32_t index) {
  Flight& flight = flights_[index];
  const MessageCost& of = cost(flight);
  Time& free = rank_of(flight.target).nics[flight.nic].receiving_free;
  const Time begin = std::max(now_, free);
  free = within(begin + of.interface);
  flight.served = within(begin + of.body);
  if (!of.eager) push_operation(flight.served, What::available, flight.target, flight.receive, index);
}

/// An envelope does not overtake earlier ones of its pair.
void ScheduleEngine::envelope(std::uint32_t index) {
  Flight& flight = flights_[index];
  flight.here = true;
  Line& pair = pairs_[pair_key(flight.source, flight.target)];
  while (!pair.empty() && flights_[pair.front()].here) {
    const std::uint32_t first = pair.front();
    pair.pop();
    meet(first);
  }
}

void ScheduleEngine::meet(std::uint32_t index) {
  const Flight& flight = flights_[index];
  Rank& receiver = rank_of(flight.target);
  if (receiver.in_order) {
    const auto at = std::find_if(receiver.posted.begin(), receiver.posted.end(), [&](std::uint32_t each) {
      return fits(receiver.graph->operations[each], flight);
    });
    if (at == receiver.posted.end()) return receiver.unexpected.push_back(index);
    const std::uint32_t operation = *at;
    receiver.posted.erase(at);
    return match(index, operation);
  }
  Meeting& meeting = receiver.meetings[pair_key(flight.source, flight.tag)];
  if (meeting.line.empty() || meeting.of_messages) {
    meeting.of_messages = true;
    return meeting.line.push(index);
  }
  const std::uint32_t operation = meeting.line.front();
  meeting.line.pop();
  match(index, operation);
}

void ScheduleEngine::post(std::int32_t rank, std::uint32_t operation) {
  Rank& self = rank_of(rank);
  const trace::GraphOperation& of = self.graph->operations[operation];
  if (self.in_order) {
    const auto at = std::find_if(self.unexpected.begin(), self.unexpected.end(),
                                 [&](std::uint32_t each) { return fits(of, flights_[each]); });
    if (at == self.unexpected.end()) return self.posted.push_back(operation);
    const std::uint32_t flight = *at;
    self.unexpected.erase(at);
    return match(flight, operation);
  }
  Meeting& meeting = self.meetings[pair_key(of.peer, of.tag)];
  if (meeting.line.empty() || !meeting.of_messages) {
    meeting.of_messages = false;
    return meeting.line.push(operation);
  }
  const std::uint32_t flight = meeting.line.front();
  meeting.line.pop();
  match(flight, operation);
}

void ScheduleEngine::match(std::uint32_t index, std::uint32_t operation) {
  Flight& flight = flights_[index];
  flight.receive = operation;
  ++matched_;
  if (cost(flight).eager)
    return push_operation(std::max(now_, flight.served), What::available, flight.target, operation, index);
  Cpu& cpu = cpu_of(flight.target, operation);
  if (attends(cpu))
    answer(index);
  else
    cpu.unanswered.push_back(index);
}

void ScheduleEngine::answer(std::uint32_t index) {
  const Flight& flight = flights_[index];
  push_message(now_ + cost(flight).answer, What::answer, flight.source, index);
}

void ScheduleEngine::answered(std::uint32_t index) {
  const Flight& flight = flights_[index];
  Cpu& cpu = cpu_of(flight.source, flight.send);
  if (!attends(cpu)) return cpu.answered.push_back(index);
  push_message(now_, What::ask, flight.source, index);
}

}  // namespace parcast::simulate
