// SPDX-License-Identifier: Apache-2.0
// Steps of a rank when nothing can delay a message: all messages are eager, receives name their source, links
// are not shared, and there is no observer. The times at which a message leaves, and its head arrives, are
// then known when it is sent. Messages of one pair need no order of their envelopes. The results are those of
// engine.cpp; this file omits the cases that cannot occur, and touches each record once.
#include "predict/simulate/engine.h"
#include "predict/simulate/steps.h"

namespace parcast::simulate {
namespace {

using trace::Item;
using trace::Kind;

}  // namespace

/// Processes ranks by slices of time, those of one slice in any order: their actions reach other ranks only
/// in later slices.
void Engine::run_by_slices() {
  while (!slices_->empty() && !failure_) {
    const Slices::Entry next = slices_->pop();
    const std::vector<Slices::Entry>& left = slices_->left();
    if (left.size() > 2) prefetch(left[left.size() - 3].rank);
    if (!left.empty()) prefetch_lists(ranks_[static_cast<std::size_t>(left.back().rank)]);
    if (next.time > trace::kLongest) return take_too_long(next.rank);
    go_on_plainly(next.rank);
  }
}

void Engine::go_on_plainly(std::int32_t rank) {
  Rank& self = rank_of(rank);
  self.mood = Mood::running;
  if (self.gathered)
    self.gathered = self.in_call = false;
  else if (self.in_call)
    leave_plainly(self);
  const std::uint64_t enough = enough_rounds(self);
  while (word_plainly(self, rank)) {
    if (self.clock > trace::kLongest) return take_too_long(rank);
    if (self.walker.rounds() >= enough && !agenda_.empty() && agenda_.first() < self.clock)
      return resume_at_clock(self, rank);
  }
}

inline bool Engine::word_plainly(Rank& self, std::int32_t rank) {
  if (self.in_collective) return continue_collective(self, rank);
  if (!self.walker.next()) return finish(self, rank), false;
  const Item item = self.walker.item();
  if (item.what() == Item::What::compute) {
    const Time time = time_of_computing(rank, item.time());
    self.clock += time;
    self.compute += time;
    ++outcome_.operations;
    return true;
  }
  const std::uint32_t index = item.index();
  const Action& action = compiled_.actions[index];
  switch (action.kind) {
    case Kind::start_send:
      send_plainly(self, rank, action, index);
      remember(self, kNone);
      return true;
    case Kind::start_receive:
      remember(self, post_plainly(self, rank, action, index));
      return true;
    case Kind::send:
      send_plainly(self, rank, action, index);
      return true;
    case Kind::wait:
      return wait_plainly(self, rank, action.requests);
    case Kind::receive:
      return receive_plainly(self, rank, action, index);
    default:
      break;
  }
  self.entry = self.clock;
  ++outcome_.operations;
  return begin_collective(self, rank, index);
}

inline void Engine::send_plainly(Rank& self, std::int32_t rank, const Action& action,
                                 std::uint32_t operation) {
  const std::int32_t target = rank + action.peer;
  Rank& receiver = rank_of(target);
  const std::uint32_t cost_index = compiled_.cost_index(action, platform_.link_between(rank, target));
  const MessageCost& of = compiled_.costs[cost_index];
  ++outcome_.operations;
  ++outcome_.messages;
  outcome_.bytes += action.bytes;
  const Time departure = std::max(self.clock + of.asks_after, self.sending_free);
  const Time head = departure + of.latency;
  self.sending_free = within(departure + of.interface);
  self.clock = within(self.clock + of.sender);
  self.communication = within(self.communication + of.sender);
  const std::uint32_t order = self.sends++;
  if (head > trace::kLongest) [[unlikely]]
    arrive_too_late(rank);
  Message message{.head = head,
                  .source = rank,
                  .target = target,
                  .order = order,
                  .cost = cost_index,
                  .operation = operation};
  if (!compiled_.interfaces) message.available = within(head + of.body);
  Channel* channel = channel_of(receiver, target, action);
  const bool meets = channel && channel->first != kNone && !channel->of_messages;
  if (meets) message.receive = channel->first;
  const std::uint32_t index = messages_.put(message);
  if (compiled_.interfaces) receiver.arrivals.push({head, rank, order, index});
  if (!channel) return;
  if (!meets) {
    channel->of_messages = true;
    return append(*channel, messages_, index);
  }
  Request& request = requests_[message.receive];
  channel->first = request.next;
  request.message = index;
  request.time = head;
  ++matched_;
  if (!request.awaited) return;
  request.awaited = false;
  receiver.until = std::max(receiver.until, head);
  if (--receiver.missing > 0 || receiver.mood != Mood::waiting) return;
  receiver.mood = Mood::due;
  resume(target, receiver.until);
}

/// For a request that met its message, `time` is when the head arrives.
inline std::uint32_t Engine::post_plainly(Rank& self, std::int32_t rank, const Action& action,
                                          std::uint32_t operation) {
  ++outcome_.operations;
  Channel& channel = own_channel(self, rank, action);
  Request request{.time = self.clock, .rank = rank, .operation = operation, .receive = true};
  const bool meets = channel.first != kNone && channel.of_messages;
  if (meets) {
    request.message = channel.first;
    request.time = messages_[request.message].head;
  }
  const std::uint32_t index = requests_.put(request);
  if (!meets) {
    channel.of_messages = false;
    append(channel, requests_, index);
    return index;
  }
  Message& message = messages_[request.message];
  channel.first = message.next;
  message.receive = index;
  ++matched_;
  return index;
}

/// Takes a message that has arrived, and that no earlier one can delay any more, without a request.
inline bool Engine::receive_plainly(Rank& self, std::int32_t rank, const Action& action,
                                    std::uint32_t operation) {
  self.entry = self.clock;
  Channel& channel = own_channel(self, rank, action);
  if (channel.first != kNone && channel.of_messages) {
    const std::uint32_t index = channel.first;
    const Message& message = messages_[index];
    if (!compiled_.interfaces || message.head < horizon()) {
      channel.first = message.next;
      ++outcome_.operations;
      ++matched_;
      if (compiled_.interfaces) serve_plainly(self, message.head);
      take(self, {message.available, &cost(message)});
      messages_.give(index);
      return true;
    }
  }
  self.awaited.clear();
  self.awaited.push_back(post_plainly(self, rank, action, operation));
  return stay_plainly(self, rank);
}

inline bool Engine::wait_plainly(Rank& self, std::int32_t rank, std::uint32_t set) {
  self.entry = self.clock;
  return choose_awaited(self, rank, set) && (self.awaited.empty() || stay_plainly(self, rank));
}

inline bool Engine::stay_plainly(Rank& self, std::int32_t rank) {
  std::uint32_t missing = 0;
  Time until = 0;
  for (const std::uint32_t index : self.awaited) {
    Request& request = requests_[index];
    const bool known = request.message != kNone;
    request.awaited = !known;
    if (known)
      until = std::max(until, request.time);
    else
      ++missing;
  }
  self.in_call = true;
  self.until = until;
  self.missing = missing;
  if (missing > 0) return self.mood = Mood::waiting, false;
  if (!compiled_.interfaces || until < horizon()) return leave_plainly(self), true;
  self.mood = Mood::due;
  resume(rank, until);
  return false;
}

/// The receiving interface serves the messages that arrived until then. All awaited requests are receives,
/// taken in the order in which they can be received.
inline void Engine::leave_plainly(Rank& self) {
  if (compiled_.interfaces) serve_plainly(self, self.until);
  if (self.awaited.size() == 1) {
    take(self, settle_plainly(self, self.awaited[0]));
  } else {
    taken_.clear();
    for (const std::uint32_t index : self.awaited) put_in_order(settle_plainly(self, index));
    take_in_order(self);
  }
  self.awaited.clear();
  self.in_call = self.in_collective;
}

inline void Engine::serve_plainly(Rank& self, Time until) {
  Time free = self.receiving_free;
  for (; !self.arrivals.empty() && self.arrivals.first().head <= until; self.arrivals.pop()) {
    Message& message = messages_[self.arrivals.first().message];
    const MessageCost& of = cost(message);
    const Time start = std::max(self.arrivals.first().head, free);
    free = within(start + of.interface);
    message.available = within(start + of.body);
  }
  self.receiving_free = free;
}

/// Releases a receive whose wait is over, and its message.
inline Engine::Arrived Engine::settle_plainly(Rank& self, std::uint32_t index) {
  const Request& request = requests_[index];
  const Message& message = messages_[request.message];
  const Arrived arrived{message.available, &cost(message)};
  if (request.number != kNone) self.requests[request.number & (self.requests.size() - 1)] = kNone;
  messages_.give(request.message);
  requests_.give(index);
  return arrived;
}

}  // namespace parcast::simulate
