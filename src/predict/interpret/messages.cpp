// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks, and waits for them.
#include <algorithm>
#include <span>

#include "predict/interpret/interpreter.h"

namespace parcast::interpret {

using trace::Kind;
using trace::Operation;

__extension__ using Wide = __int128;

std::size_t Interpreter::TimesHash::operator()(const Times& key) const {
  std::uint64_t h = key.bytes * 0x9e3779b97f4a7c15u ^
                    (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.from)) << 32 |
                     static_cast<std::uint32_t>(key.to)) *
                        0xd1342543de82ef95u;
  h += static_cast<std::uint64_t>(key.mode);
  return static_cast<std::size_t>(h ^ h >> 29);
}

/// Returns null, and fails the interpretation, when there are no times.
const MessageTimes* Interpreter::times_of(std::int32_t from, std::int32_t to, std::uint64_t bytes,
                                          trace::Mode mode) {
  const auto [known, is_new] = known_times_.try_emplace({bytes, from, to, mode}, nullptr);
  if (!is_new) return known->second;
  const Result<MessageTimes> times = costs_.message(from, to, bytes, mode);
  if (!times) return fail(times.error()), nullptr;
  return known->second = &all_times_.emplace_back(*times);
}

/// Avoids the lookup in all known times: between two ranks, messages have few sizes.
const MessageTimes* Interpreter::times_of(Pair& pair, std::int32_t from, const Outgoing& outgoing) {
  constexpr std::size_t kMost = 8;
  for (const Pair::Known& each : pair.known)
    if (each.bytes == outgoing.bytes && each.mode == outgoing.mode) return each.times;
  const MessageTimes* times = times_of(from, outgoing.to, outgoing.bytes, outgoing.mode);
  if (!times) return nullptr;
  if (pair.known.size() == kMost) pair.known.clear();
  pair.known.push_back({outgoing.bytes, outgoing.mode, times});
  return times;
}

Pair& Interpreter::pair(std::int32_t receiver, std::int32_t sender) {
  std::vector<Pair>& inbox = at(receiver).inbox;
  const std::int32_t from = key_of(sender, receiver);
  const auto known = std::ranges::find(inbox, from, &Pair::from);
  if (known != inbox.end()) return *known;
  return inbox.emplace_back(Pair{.from = from, .sender = represents(sender)});
}

Request* Interpreter::request_of(std::int32_t rank, std::uint64_t number) {
  std::vector<Request>& all = at(rank).requests;
  const auto found = std::ranges::find(all, number, &Request::number);
  return found == all.end() ? nullptr : &*found;
}

void Interpreter::send(std::int32_t rank, const Operation& operation, bool blocks) {
  Rank& self = at(rank);
  self.call.messages = 1, self.call.bytes = static_cast<std::int64_t>(operation.bytes);
  const std::uint64_t number = blocks ? kBlocking : ++self.begun;
  const bool is_done = dispatch(rank, {rank + operation.peer, operation.tag, operation.communicator,
                                       operation.bytes, operation.mode, number});
  if (failure_) return;
  if (blocks && !is_done) return await_blocking(rank);
  finish_call(rank);
}

/// Returns true for an eager message, which has no further effect on its sender; otherwise the message has a
/// request.
bool Interpreter::dispatch(std::int32_t rank, const Outgoing& outgoing) {
  Rank& self = at(rank);
  Pair& known = pair(outgoing.to, rank);
  const MessageTimes* times = times_of(known, rank, outgoing);
  if (!times) return true;
  Message message{.sender = rank,
                  .from = known.from,
                  .tag = outgoing.tag,
                  .communicator = outgoing.communicator,
                  .order = ++self.sent,
                  .request = outgoing.request,
                  .operation = self.walker.item().index(),
                  .times = times};
  Time& last = known.last_envelope;
  if (times->eager) {
    self.call.startup += work(self, times->departs_after);
    message.departed = self.clock;
    message.left = later_of(self.sends_from, self.clock);
    self.sends_from = message.left + times->occupies;
    message.envelope = last = later_of(last, message.left + times->latency);
    self.call.startup += work(self, times->sender - times->sender_bytes - times->departs_after);
    self.call.transfer += work(self, times->sender_bytes);
    deliver(outgoing.to, message);
    return true;
  }
  self.call.startup += work(self, times->sender - times->sender_bytes);
  self.call.transfer += work(self, times->sender_bytes);
  message.departed = message.left = self.clock;
  message.envelope = last = later_of(last, self.clock + times->request);
  self.requests.push_back({.number = outgoing.request,
                           .operation = self.walker.item().index(),
                           .since = self.clock,
                           .times = times});
  deliver(outgoing.to, message);
  return false;
}

/// The first matching posted receive takes the message; otherwise the message stays.
void Interpreter::deliver(std::int32_t to, Message message) {
  if (keeps_time(to) && !is_private(message.communicator)) return in_time(to).coming.push(message);
  Pair& sent = pair(to, message.sender);
  const auto fits = std::ranges::find_if(sent.posts, [&](const Post& post) { return post.fits(message); });
  if (fits != sent.posts.end()) {
    const std::uint64_t request = fits->request;
    sent.posts.erase(fits);
    return match(represents(to), request, message);
  }
  sent.messages.push_back(message);
  if (at(to).mood == Mood::probing) let_go(represents(to));
}

/// Both sides are known, and so are the times at which the message can be received and its sender is done.
void Interpreter::match(std::int32_t receiver, std::uint64_t request, const Message& message) {
  Request& receive = *request_of(receiver, request);
  if (options_.edges && !is_private(message.communicator)) {
    Sent& edge = edges_[std::uint64_t{labels_.operation[message.operation]} << 32 |
                        labels_.operation[receive.operation]];
    const std::int64_t all = ranks_like(message.sender);
    edge.messages += all,
        edge.bytes += all * static_cast<std::int64_t>(trace_.operations[message.operation].bytes);
  }
  receive.times = message.times;
  receive.envelope = message.envelope;
  if (message.times->eager) {
    receive.departed = message.departed;
    receive.arrived = message.left + message.times->latency;
    receive.done = later_of(message.left + message.times->flight, message.envelope);
  } else {
    const Time departure = later_of(message.envelope, receive.since) + message.times->answer;
    receive.departed = later_of(message.departed, receive.since);
    receive.arrived = departure + message.times->latency;
    receive.done = later_of(departure + message.times->flight, message.envelope);
    if (Request* sent = request_of(message.sender, message.request)) {
      sent->departed = receive.departed;
      sent->done = departure + message.times->transfer;
      if (at(message.sender).mood == Mood::waiting && all_known(at(message.sender))) let_go(message.sender);
    }
  }
  if (at(receiver).mood == Mood::waiting && all_known(at(receiver))) let_go(receiver);
}

void Interpreter::receive(std::int32_t rank, bool blocks) {
  Rank& self = at(rank);
  const Operation& operation = operation_of(self);
  post(rank, rank + operation.peer, operation.tag, operation.communicator, blocks ? kBlocking : ++self.begun);
  if (blocks) return await_blocking(rank);
  finish_call(rank);
}

void Interpreter::post(std::int32_t rank, std::int32_t from, std::int32_t tag, std::uint32_t communicator,
                       std::uint64_t number) {
  Rank& self = at(rank);
  self.requests.push_back(
      {.number = number, .operation = self.walker.item().index(), .receives = true, .since = self.clock});
  Pair& sent = pair(rank, from);
  const Post post{number, sent.from, tag, communicator};
  const auto fits =
      std::ranges::find_if(sent.messages, [&](const Message& message) { return post.fits(message); });
  if (fits == sent.messages.end()) {
    sent.posts.push_back(post);
    return;
  }
  const Message message = *fits;
  sent.messages.erase(fits);
  match(rank, number, message);
}

/// Finds only messages that no posted receive has taken.
void Interpreter::probe(std::int32_t rank) {
  Rank& self = at(rank);
  const Operation& operation = operation_of(self);
  const Pair& sent = pair(rank, rank + operation.peer);
  const Post wanted{0, sent.from, operation.tag, operation.communicator};
  const auto fits =
      std::ranges::find_if(sent.messages, [&](const Message& message) { return wanted.fits(message); });
  if (fits == sent.messages.end()) {
    self.mood = Mood::probing;
    return;
  }
  stay(self, fits->envelope, fits->envelope - fits->departed, 0, 0);
  finish_call(rank);
}

/// Accesses another rank's memory, without its processor (message_passing.md, "Remote accesses").
void Interpreter::access(std::int32_t rank, const Operation& operation) {
  Rank& self = at(rank);
  const std::int32_t owner = rank + operation.peer;
  const bool reads = operation.kind == Kind::read || operation.kind == Kind::start_read;
  const bool blocks = operation.kind == Kind::read || operation.kind == Kind::write;
  const std::uint64_t number = blocks ? kBlocking : ++self.begun;
  if (owner == rank) return finish_call(rank);
  const MessageTimes* times = times_of(rank, owner, operation.bytes, trace::Mode::standard);
  const MessageTimes* empty = times_of(rank, owner, 0, trace::Mode::standard);
  if (!times || !empty) return;
  self.call.messages = 2, self.call.bytes = static_cast<std::int64_t>(operation.bytes);
  Request request{
      .number = number, .operation = self.walker.item().index(), .receives = reads, .times = times};
  self.call.startup += work(self, times->departs_after);
  request.since = request.departed = self.clock;
  if (!reads) {
    self.call.startup += work(self, times->sender - times->sender_bytes - times->departs_after);
    self.call.transfer += work(self, times->sender_bytes);
  }
  request.arrived = request.departed + empty->latency + times->latency;
  request.done =
      request.departed + empty->latency + (reads ? times->flight : times->transfer + times->latency);
  self.requests.push_back(request);
  if (blocks) return await_blocking(rank);
  finish_call(rank);
}

void Interpreter::wait(std::int32_t rank, const Operation& operation) {
  Rank& self = at(rank);
  for (const std::uint32_t ago : trace_.request_sets[operation.requests])
    self.awaited.push_back(self.begun + 1 - ago);
  await(rank);
}

bool Interpreter::all_known(const Rank& self) const {
  return std::ranges::all_of(self.awaited, [&](std::uint64_t number) {
    const auto found = std::ranges::find(self.requests, number, &Request::number);
    return found == self.requests.end() || found->done != kUnknown;
  });
}

void Interpreter::await_blocking(std::int32_t rank) {
  at(rank).awaited.push_back(kBlocking);
  await(rank);
}

void Interpreter::await(std::int32_t rank) {
  Rank& self = at(rank);
  self.mood = Mood::waiting;
  if (all_known(self)) finish_wait(rank);
}

/// The rank waits until `until`. During the last `under_way` it waits for a message; before that it waits for
/// a partner. The part `flight_bytes` of the message's `flight` is for its bytes.
void Interpreter::stay(Rank& self, Time until, Time under_way, Time flight, Time flight_bytes) {
  if (until <= self.clock) return watch(self.clock - until, Comparison::What::larger);
  if (watches()) watch_wait(self, until - self.clock, under_way, flight, flight_bytes);
  const Time moving = std::min(until - self.clock, under_way);
  const Time for_bytes = flight > 0 ? static_cast<Time>(Wide{moving} * flight_bytes / flight) : 0;
  self.call.wait += until - self.clock - moving;
  self.call.startup += moving - for_bytes, self.call.transfer += for_bytes;
  self.clock = until;
}

void Interpreter::finish_wait(std::int32_t rank) {
  take_awaited(at(rank));
  if (at(rank).steps > 0) return go_through_steps(rank);
  finish_call(rank);
}

/// The receiving interface serves the messages of one wait in the order in which their heads arrive. A
/// message that arrived before the interface's last busy time began was served before it.
void Interpreter::serve(Rank& self, std::vector<Request>& done) {
  const auto ends = std::ranges::partition(done, &Request::receives).begin();
  const std::span<Request> received(done.begin(), ends);
  std::ranges::sort(received, [](const Request& a, const Request& b) {
    return std::tie(a.arrived, a.number) < std::tie(b.arrived, b.number);
  });
  for (std::size_t k = 1; watches() && k < received.size(); ++k)
    watch(received[k].arrived - received[k - 1].arrived, Comparison::What::larger);
  for (Request& each : received) {
    Time start = each.arrived;
    if (is_earlier(each.arrived, self.receives_from)) {
      if (!is_earlier(each.arrived, self.receives_since))
        start = self.receives_from, self.receives_from += each.times->occupies;
    } else {
      self.receives_since = start, self.receives_from = start + each.times->occupies;
    }
    each.done = later_of(start + each.times->flight - each.times->latency, each.envelope);
  }
}

/// Takes messages one by one in the order in which they can be received, then waits for the sends.
void Interpreter::take_awaited(Rank& self) {
  std::vector<Request>& done = done_;
  done.clear();
  for (const std::uint64_t number : self.awaited) {
    const auto found = std::ranges::find(self.requests, number, &Request::number);
    if (found == self.requests.end()) continue;
    done.push_back(*found);
    self.requests.erase(found);
  }
  serve(self, done);
  std::ranges::sort(done, [](const Request& a, const Request& b) {
    return std::tuple(!a.receives, a.done, a.number) < std::tuple(!b.receives, b.done, b.number);
  });
  if (watches())
    for (std::size_t k = 1; k < done.size(); ++k)
      if (done[k].receives == done[k - 1].receives)
        watch(done[k].done - done[k - 1].done, Comparison::What::larger);
  for (const Request& request : done) {
    const MessageTimes& times = *request.times;
    if (!request.receives) {
      stay(self, request.done, request.done - request.departed, times.request + times.answer + times.transfer,
           times.transfer);
      continue;
    }
    stay(self, request.done, request.done - request.departed,
         times.eager ? times.flight : times.request + times.answer + times.flight, times.flight_bytes);
    self.call.startup += work(self, times.receiver - times.receiver_bytes);
    self.call.transfer += work(self, times.receiver_bytes);
    // The copying of a message ends only after the message is complete, however fast the processor is.
    if (const Time there = request.done + times.receiver_bytes; self.clock < there)
      self.call.transfer += there - self.clock, self.clock = there;
  }
  self.awaited.clear();
}

}  // namespace parcast::interpret
