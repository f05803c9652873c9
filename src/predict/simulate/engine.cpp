// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/engine.h"

#include <bit>

#include "predict/simulate/steps.h"

namespace parcast::simulate {
namespace {

using trace::Item;
using trace::Kind;

}  // namespace

Engine::Engine(Compiled& compiled, Iterations iterations, std::span<Observer* const> observers,
               std::unique_ptr<OnMemory> on_memory)
    : compiled_(compiled),
      trace_(*compiled.trace),
      platform_(*compiled.platform),
      ranks_(static_cast<std::size_t>(compiled.trace->ranks)),
      seldom_(ranks_.size()),
      numbers_(trace_, compiled.sequences, compiled.actions, compiled.signatures),
      channels_(numbers_.count()),
      agenda_(ranks_.size()),
      observers_(observers),
      careful_(compiled.envelopes || compiled.rendezvous),
      delays_(careful_ || platform_.network),
      plain_(!delays_ && !on_memory && observers.empty() && !compiled.accesses && platform_.share.whole()),
      skips_(iterations == Iterations::skipped && compiled.loops && !platform_.noise && !platform_.network &&
             !on_memory && platform_.share.whole()),
      looks_(ranks_.size()),
      memory_(std::move(on_memory)) {
  if (plain_ && !skips_) slices_.emplace(compiled.lookahead);
  const auto ring_of = [](const CompiledSequence& sequence) {
    return sequence.window > 0 ? std::bit_ceil(sequence.window) : 0;
  };
  std::size_t needed = 0;
  for (const std::uint32_t sequence : trace_.sequence_of)
    needed += compiled_.sequences[sequence].longest + ring_of(compiled_.sequences[sequence]);
  lists_.resize(needed);
  std::uint32_t* memory = lists_.data();
  if (platform_.network) network_ = std::make_unique<OnNetwork>(platform_, ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Rank& self = ranks_[rank];
    if (!platform_.share.whole()) budgets_.emplace_back(platform_.share);
    if (platform_.noise) noise_.emplace_back(*platform_.noise, static_cast<std::int32_t>(rank));
    self.sequence = trace_.sequence_of[rank];
    self.walker = trace::Walker(trace_.sequences[self.sequence]);
    const CompiledSequence& sequence = compiled_.sequences[self.sequence];
    self.in_order = sequence.ordered;
    self.awaited = List(memory);
    self.requests = List(memory += sequence.longest);
    self.requests.assign(ring_of(sequence), kNone);
    memory += ring_of(sequence);
  }
}

Result<Outcome> Engine::run() {
  outcome_.ranks.resize(ranks_.size());
  for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
    rank_of(rank).mood = Mood::due;
    rank_of(rank).again = false;
    resume(rank, 0);
  }
  if (slices_) run_by_slices();
  if (network_ || memory_) run_in_order();
  while (!agenda_.empty() && !failure_) {
    const Event event = agenda_.pop();
    prefetch(agenda_.next_rank());
    handle(event);
    if (skips_ && looks_.due(event.rank, rank_of(event.rank).walker)) look_for_a_period(event.time);
  }
  if (failure_) return *failure_;
  if (compiled_.costs.overflow())
    return Error{"a message costs more than 26 days", "",
                 "the machine's parameters, or a message's bytes, are out of all measure"};
  for (const RankOutcome& rank : outcome_.ranks) outcome_.makespan = std::max(outcome_.makespan, rank.end);
  outcome_.unreceived = outcome_.messages + outcome_.collective_messages - matched_;
  report_waiting();
  if (network_) network_->report(outcome_);
  if (memory_) memory_->report(outcome_);
  return std::move(outcome_);
}

/// Continues a resumed rank: with the postponed item, or after its awaited requests.
void Engine::go_on(std::int32_t rank) {
  Rank& self = rank_of(rank);
  self.mood = Mood::running;
  if (self.again) {
    self.again = false;
    const bool computes = self.walker.item().what() == Item::What::compute;
    if (!(computes ? begin_computing(self, rank) : begin(self, rank, self.walker.item().index()))) return;
  } else if (self.gathered) {
    self.gathered = self.in_call = false;
    self.exit = self.clock;
  } else if (self.probing) {
    end_probe(self);
  } else if (self.in_call) {
    leave(self);
  }
  const std::uint64_t enough = enough_rounds(self);
  while (word(self, rank)) {
    if (self.clock > trace::kLongest) return take_too_long(rank);
    if (self.walker.rounds() >= enough && !agenda_.empty() && agenda_.first() < self.clock)
      return resume_at_clock(self, rank);
  }
}

void Engine::take_too_long(std::int32_t rank) {
  failure_ = Error{"the run would take longer than 26 days", "rank " + std::to_string(rank),
                   "that is the longest time that can be simulated"};
}

void Engine::arrive_too_late(std::int32_t rank) {
  failure_ = Error{"a message would arrive after more than 26 days", "rank " + std::to_string(rank), ""};
}

inline bool Engine::word(Rank& self, std::int32_t rank) {
  if (self.in_collective) return continue_collective(self, rank);
  if (observed()) [[unlikely]]
    note_stayed(self, rank, true);
  if (!self.walker.next()) return finish(self, rank), false;
  const Item item = self.walker.item();
  if (item.what() == Item::What::operation) return perform(self, rank, item.index());
  if (memory_) [[unlikely]]
    return compute_in_order(self, rank);
  const Time time = work(self, rank, time_of_computing(rank, item.time()));
  self.compute += time;
  if (observed()) [[unlikely]]
    tell(&Observer::computed, rank, self.clock - time, self.clock);
  ++outcome_.operations;
  return true;
}

void Engine::finish(Rank& self, std::int32_t rank) {
  self.mood = Mood::finished;
  if (self.clock > trace::kLongest) return take_too_long(rank);
  if (observed()) [[unlikely]]
    tell(&Observer::ended, rank, self.clock);
  outcome_.ranks[static_cast<std::size_t>(rank)] = {self.clock, self.compute, self.communication, true};
}

/// Returns whether the actions of other ranks until now must be known before this item. They matter for
/// requests and answers to which this rank attends now, and for envelopes that the receive or probe finds.
bool Engine::must_wait_for_others(const Rank& self, Kind kind) const {
  const bool attends = by_calls() && self.open_receives + self.open_sends > 0;
  const bool looks = self.in_order && trace::looks_for_envelope(kind);
  return (attends || looks) && next_event() <= self.clock;
}

inline bool Engine::perform(Rank& self, std::int32_t rank, std::uint32_t operation) {
  if (careful_ && must_wait_for_others(self, compiled_.actions[operation].kind)) {
    self.again = true;
    return resume_at_clock(self, rank), false;
  }
  return begin(self, rank, operation);
}

inline bool Engine::begin(Rank& self, std::int32_t rank, std::uint32_t index) {
  const Action& action = compiled_.actions[index];
  self.entry = self.exit = self.clock;
  if (observed()) [[unlikely]]
    note_entered(self, rank, index);
  if (self.attention_due) attend(self, rank);
  ++outcome_.operations;
  switch (action.kind) {
    case Kind::start_send:
      remember(self, send_operation(self, rank, index));
      return true;
    case Kind::start_receive:
      remember(self, post(self, rank, index));
      return true;
    case Kind::wait:
      --outcome_.operations;
      return await_set(self, rank, action.requests);
    case Kind::collective:
      return begin_collective(self, rank, index);
    case Kind::start_read:
    case Kind::start_write:
      remember(self, access(self, rank, index));
      return true;
    case Kind::probe:
      return begin_probe(self, rank, index);
    case Kind::unlock:
      unlock(self, rank, index);
      return !failure_;
    case Kind::read:
    case Kind::write:
    case Kind::lock_shared:
    case Kind::lock_exclusive:
    case Kind::send:
    case Kind::receive:
      break;
  }
  const std::uint32_t request = trace::locks(action.kind)       ? lock(self, rank, index)
                                : trace::is_access(action.kind) ? access(self, rank, index)
                                : action.kind == Kind::send     ? send_operation(self, rank, index)
                                                                : post(self, rank, index);
  self.awaited.clear();
  if (request == kNone) return !failure_;
  self.awaited.push_back(request);
  return stay(self, rank);
}

/// Handles messages that came while this rank did not attend.
void Engine::attend(Rank& self, std::int32_t rank) {
  Seldom& seldom = seldom_of(rank);
  for (const std::uint32_t message : seldom.unanswered) answer(message, self.clock);
  seldom.unanswered.clear();
  for (const std::uint32_t message : seldom.answered) ask(message, self.clock);
  seldom.answered.clear();
  self.attention_due = false;
}

inline std::uint32_t Engine::send_operation(Rank& self, std::int32_t rank, std::uint32_t operation) {
  const Action& action = compiled_.actions[operation];
  const std::int32_t target = rank + action.peer;
  ++outcome_.messages;
  outcome_.bytes += action.bytes;
  return send(self, rank, target, compiled_.cost_index(action, platform_.link_between(rank, target)),
              operation);
}

/// Returns the request that completes when the message has left; none for a message that leaves at once.
std::uint32_t Engine::send(Rank& self, std::int32_t rank, std::int32_t target, std::uint32_t cost_index,
                           std::uint32_t operation) {
  const MessageCost& of = compiled_.costs[cost_index];
  Rank& receiver = rank_of(target);
  __builtin_prefetch(&receiver.arrivals);
  const std::uint32_t index = messages_.take();
  Message& message = messages_[index];
  message.source = rank;
  message.target = target;
  message.order = self.sends++;
  message.cost = cost_index;
  message.operation = operation;
  const Time began = self.clock, asked = work_before_asking(self, rank, of);
  if (observed()) [[unlikely]]
    note_sent(self, index, began);
  if (compiled_.envelopes && operation != kNone) {
    Pair& pair = seldom_of(target).pairs[rank];
    if (pair.first == kNone)
      pair.first = index;
    else
      messages_[pair.end].next_of_pair = index;
    pair.end = index;
    message.listed = true;
  }
  std::uint32_t request = kNone;
  if (!of.eager) {
    request = message.send = requests_.take();
    requests_[request].rank = rank;
    requests_[request].operation = operation;
    ++self.open_sends;
  }
  if (operation == kNone) {
    deliver_step(rank, target, index);
  } else if (Channel* channel = channel_of(receiver, target, compiled_.actions[operation])) {
    if (channel->first != kNone && !channel->of_messages) {
      match(index, take_first(*channel, requests_));
    } else {
      channel->of_messages = true;
      append(*channel, messages_, index);
    }
  }
  if (!of.eager)
    announce(index, within(self.clock + of.request + further(message)));
  else if (!network_ && self.open_sends == 0 && self.asking == 0)
    reserve(index, asked);
  else
    ask(index, asked);
  return request;
}

inline std::uint32_t Engine::post(Rank& self, std::int32_t rank, std::uint32_t operation) {
  const std::uint32_t index = requests_.take();
  Request& request = requests_[index];
  request.time = self.clock;
  request.rank = rank;
  request.operation = operation;
  request.receive = true;
  if (compiled_.rendezvous) ++self.open_receives;
  if (observed()) [[unlikely]]
    tell(&Observer::posted, index, rank, self.clock);
  if (self.in_order) {
    if (!take_unexpected(rank, index)) seldom_of(rank).posted.push_back(index);
    return index;
  }
  expect(own_channel(self, rank, compiled_.actions[operation]), index);
  return index;
}

/// A receive takes the channel's first message, or waits for the next.
inline void Engine::expect(Channel& channel, std::uint32_t request) {
  if (channel.first != kNone && channel.of_messages) return match(take_first(channel, messages_), request);
  channel.of_messages = false;
  append(channel, requests_, request);
}

void Engine::forget(std::uint32_t index) {
  Request& request = requests_[index];
  request.number = kNone;
  request.forgotten = true;
  if (!request.receive && request.complete) requests_.give(index);
}

void Engine::never_begun(const Rank& self, std::int32_t rank) {
  failure_ = Error{"a wait names a request that was never begun",
                   "rank " + std::to_string(rank) + ", word " + std::to_string(self.walker.position()), ""};
}

inline bool Engine::await_set(Rank& self, std::int32_t rank, std::uint32_t set) {
  return choose_awaited(self, rank, set) && (self.awaited.empty() || stay(self, rank));
}

/// Returns a time before which nothing happens.
Time Engine::next_event() const {
  Time first = agenda_.empty() ? trace::kLongest : agenda_.first();
  if (memory_) [[unlikely]]
    first = std::min(first, memory_->domains.next_end());
  return network_ ? std::min(first, network_->next()) : first;
}

/// Returns when the last of the awaited requests is known; the times of all of them must be known.
inline Time Engine::awaited_until(const Rank& self) const {
  if (!delays_) return self.until;
  Time until = 0;
  for (const std::uint32_t index : self.awaited) until = std::max(until, known_at(requests_[index]));
  return until;
}

/// Stays in the call until the awaited requests are complete. Returns true when that time is known at once.
bool Engine::stay(Rank& self, std::int32_t rank) {
  self.in_call = true;
  self.missing = 0;
  self.until = 0;
  for (const std::uint32_t index : self.awaited) {
    Request& request = requests_[index];
    const bool known = request.receive
                           ? request.message != kNone && messages_[request.message].head != kUnknown
                           : request.complete;
    request.awaited = !known;
    if (known)
      self.until = std::max(self.until, known_at(request));
    else
      ++self.missing;
  }
  if (self.missing > 0) return self.mood = Mood::waiting, false;
  const Time until = awaited_until(self);
  if (!compiled_.interfaces || until < horizon()) return leave(self), true;
  self.mood = Mood::due;
  resume(rank, until);
  return false;
}

/// The receiving interface serves the messages that arrived.
inline void Engine::serve(Rank& self, Time until) {
  while (!self.arrivals.empty() && self.arrivals.first().head <= until) {
    const std::uint32_t index = self.arrivals.first().message;
    Message& message = messages_[index];
    const Time start = std::max(self.arrivals.first().head, self.receiving_free);
    self.arrivals.pop();
    self.receiving_free = within(start + cost(message).interface);
    message.available = std::max({message.available, within(start + cost(message).body), message.envelope});
    if (observed()) [[unlikely]]
      tell(&Observer::served, index, start, message.available);
  }
}

inline void Engine::leave(Rank& self) {
  if (compiled_.interfaces) serve(self, awaited_until(self));
  if (observed()) [[unlikely]]
    note_taken(self, static_cast<std::int32_t>(&self - ranks_.data()));
  take_receives(self);
  for (const std::uint32_t request : self.awaited) settle(self, request);
  self.awaited.clear();
  self.exit = self.clock;
  self.in_call = self.in_collective;
}

/// The common case of a single request.
inline void Engine::take_only(Rank& self, const Request& request) {
  if (!request.receive) {
    self.clock = std::max(self.clock, request.time);
    return;
  }
  const Message& message = messages_[request.message];
  take(self, {message.available, &cost(message)});
}

/// Takes messages in the order in which they can be received, then waits for sends.
inline void Engine::take_receives(Rank& self) {
  if (self.awaited.size() == 1) return take_only(self, requests_[self.awaited[0]]);
  taken_.clear();
  Time sent = 0;
  for (const std::uint32_t index : self.awaited) {
    const Request& request = requests_[index];
    if (!request.receive) {
      sent = std::max(sent, request.time);
      continue;
    }
    const Message& message = messages_[request.message];
    put_in_order({message.available, &cost(message)});
  }
  take_in_order(self);
  self.clock = std::max(self.clock, sent);
}

/// The copying of a message ends only after the message is complete, however fast the processor is.
void Engine::take_with_share(Rank& self, const Arrived& next) {
  const auto rank = static_cast<std::int32_t>(&self - ranks_.data());
  const Time copying = next.cost->stream.copying;
  self.clock = std::max(self.clock, next.available);
  const Time before = work(self, rank, next.cost->receiver - copying), then = work(self, rank, copying);
  self.communication = within(self.communication + before + then);
  self.clock = std::max(self.clock, within(next.available + copying));
}

/// Releases a request whose wait is over.
inline void Engine::settle(Rank& self, std::uint32_t index) {
  const Request& request = requests_[index];
  if (request.number != kNone) self.requests[request.number & (self.requests.size() - 1)] = kNone;
  if (request.receive) {
    messages_[request.message].received = true;
    drop(request.message);
  }
  requests_.give(index);
}

/// Returns a message's record when nothing refers to it any more.
void Engine::drop(std::uint32_t index) {
  const Message& message = messages_[index];
  if (message.received && !message.listed) messages_.give(index);
}

/// The message leaves through the sending interface.
void Engine::reserve(std::uint32_t index, Time asked) {
  Message& message = messages_[index];
  const MessageCost& of = cost(message);
  Rank& sender = rank_of(message.source);
  const Time departure = std::max(asked, sender.sending_free);
  sender.sending_free = within(departure + of.interface);
  if (message.is_write()) return written(index, departure);
  message.head = departure + of.latency;
  if (message.head > trace::kLongest) arrive_too_late(message.source);
  if (observed()) [[unlikely]]
    tell(&Observer::departed, index, message.send, asked, departure, message.head);
  if (of.eager && message.listed) announce(index, message.head);
  if (compiled_.interfaces) {
    rank_of(message.target).arrivals.push({message.head, message.source, message.order, index});
  } else {
    message.available = std::max(within(message.head + of.body), message.envelope);
    if (observed()) [[unlikely]]
      tell(&Observer::served, index, message.head, message.available);
  }
  if (message.send != kNone) {
    --sender.open_sends;
    Request& request = requests_[message.send];
    request.time = within(departure + of.interface);
    request.complete = true;
    if (request.awaited)
      one_known(message.send);
    else if (request.forgotten)
      requests_.give(message.send);
    message.send = kNone;
  }
  if (message.receive != kNone && requests_[message.receive].awaited) one_known(message.receive);
}

void Engine::match(std::uint32_t message_index, std::uint32_t request_index) {
  Message& message = messages_[message_index];
  Request& request = requests_[request_index];
  ++matched_;
  message.receive = request_index;
  request.message = message_index;
  if (cost(message).eager && compiled_.rendezvous) --rank_of(request.rank).open_receives;
  if (request.awaited && message.head != kUnknown) one_known(request_index);
  if (!cost(message).eager && message.arrived) consider_answer(message_index);
}

/// Records that the time of an awaited request has become known.
void Engine::one_known(std::uint32_t index) {
  Request& request = requests_[index];
  request.awaited = false;
  Rank& self = rank_of(request.rank);
  self.until = std::max(self.until, known_at(request));
  if (--self.missing > 0 || self.mood != Mood::waiting) return;
  self.mood = Mood::due;
  resume(request.rank, awaited_until(self));
}

namespace {

/// First simulates the run as recorded, which gives the times that its pieces would take alone, then the
/// requested run.
Result<Outcome> run_on_memory(const trace::Trace& trace, const Platform& platform, Iterations iterations,
                              std::span<Observer* const> observers) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  const Platform* recorded = platform.contention->recorded.get();
  Works works(recorded ? ranks : 0);
  if (recorded && recorded->contention) {
    PARCAST_ASSIGN(Compiled compiled, compile(trace, *recorded));
    PARCAST_TRY(Engine(compiled, iterations, {},
                       std::make_unique<OnMemory>(*recorded->contention, ranks, true, &works))
                    .run());
  }
  PARCAST_ASSIGN(Compiled compiled, compile(trace, platform));
  const bool found = recorded && recorded->contention;
  return Engine(compiled, iterations, observers,
                std::make_unique<OnMemory>(*platform.contention, ranks, false, found ? &works : nullptr))
      .run();
}

Result<Outcome> run(const trace::Trace& trace, const Platform& platform, Trust trust, Iterations iterations,
                    std::span<Observer* const> observers) {
  if (trust == Trust::none) PARCAST_TRY(trace::check(trace));
  const bool divides_accesses = std::ranges::all_of(observers, &Observer::takes_accesses);
  if (!observers.empty() && trace::has_accesses(trace) && (!divides_accesses || trace::has_locks(trace)))
    return Error{
        "pairs, the critical path and the predicted run do not support one-sided accesses or locks yet, and "
        "regions do not support locks",
        "", "ask for the time alone"};
  if (platform.contention) return run_on_memory(trace, platform, iterations, observers);
  auto compiled = compile(trace, platform);
  if (!compiled) return compiled.error();
  return Engine(*compiled, iterations, observers).run();
}

}  // namespace

Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust,
                         Iterations iterations) {
  return run(trace, platform, trust, iterations, {});
}

Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust,
                         std::span<Observer* const> observers) {
  return run(trace, platform, trust, Iterations::every, observers);
}

}  // namespace parcast::simulate
