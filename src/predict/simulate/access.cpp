// SPDX-License-Identifier: Apache-2.0
// Accesses to the memory of other ranks, served by the network. docs/models/message_passing.md, "Remote
// accesses".
#include "predict/simulate/engine.h"
#include "predict/simulate/steps.h"

namespace parcast::simulate {

/// Returns the request that completes with the access; none for the rank's own memory.
std::uint32_t Engine::access(Rank& self, std::int32_t rank, std::uint32_t index) {
  const trace::Operation& operation = trace_.operations[index];
  ++outcome_.accesses;
  if (operation.peer == 0) return kNone;
  const bool reads = operation.kind == trace::Kind::read || operation.kind == trace::Kind::start_read;
  const std::uint32_t link = platform_.link_between(rank, rank + operation.peer);
  const std::uint32_t cost = compiled_.costs.find(link, operation.bytes, trace::Mode::standard);
  outcome_.messages += 2;
  outcome_.bytes += operation.bytes;
  matched_ += 2;
  const std::uint32_t request = requests_.take(), message = messages_.take();
  requests_[request].rank = rank;
  requests_[request].operation = index;
  messages_[message].source = messages_[message].target = rank;
  messages_[message].order = self.sends++;
  messages_[message].cost = cost;
  messages_[message].operation = index;
  if (reads)
    read(self, request, message);
  else
    write(self, request, message);
  return request;
}

/// Returns the latency of the message in the other direction: a request without data, or an answer.
Time Engine::control_latency(const Message& message) {
  const std::uint32_t link =
      platform_.link_between(message.source, message.source + trace_.operations[message.operation].peer);
  return compiled_.costs[compiled_.costs.find(link, 0, trace::Mode::buffered)].latency;
}

/// The data arrive at the rank's own interface like those of any message.
void Engine::read(Rank& self, std::uint32_t request, std::uint32_t index) {
  Message& message = messages_[index];
  const Time latency = control_latency(message);
  const MessageCost& of = cost(message);
  self.communication += work(self, message.source, of.asks_after);
  message.head = self.clock + latency + of.latency;
  if (message.head > trace::kLongest) return take_too_long(message.target);
  message.receive = request;
  requests_[request].receive = true;
  requests_[request].message = index;
  if (compiled_.interfaces) {
    self.arrivals.push({message.head, message.source, message.order, index});
  } else {
    message.available = message.head + of.body;
  }
}

void Engine::write(Rank& self, std::uint32_t request, std::uint32_t index) {
  Message& message = messages_[index];
  message.send = request;
  const Time asked = work_before_asking(self, message.source, cost(message));
  if (self.open_sends == 0 && self.asking == 0)
    reserve(index, asked);
  else
    ask(index, asked);
}

/// Completes a write: the data have arrived, and the answer is back.
void Engine::written(std::uint32_t index, Time departure) {
  const Message& message = messages_[index];
  const std::uint32_t request_index = message.send;
  Request& request = requests_[request_index];
  request.time = departure + cost(message).interface + cost(message).latency + control_latency(message);
  request.complete = true;
  if (request.time > trace::kLongest) take_too_long(message.source);
  messages_.give(index);
  if (request.awaited)
    one_known(request_index);
  else if (request.forgotten)
    requests_.give(request_index);
}

}  // namespace parcast::simulate
