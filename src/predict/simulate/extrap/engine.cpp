// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/extrap/engine.h"

#include <bit>

#include "predict/simulate/costs.h"

namespace parcast::simulate::extrap {
namespace {

/// Returns, for each sequence, how far back its waits reach.
std::vector<std::uint32_t> windows_of(const trace::Trace& trace) {
  std::vector<std::uint32_t> windows;
  for (const trace::Sequence& sequence : trace.sequences) {
    std::uint32_t& window = windows.emplace_back(0);
    for (const trace::Item item : sequence) {
      if (item.what() != trace::Item::What::operation) continue;
      const trace::Operation& operation = trace.operations[item.index()];
      if (operation.kind != trace::Kind::wait || trace.request_sets[operation.requests].empty()) continue;
      window = std::max(window, trace.request_sets[operation.requests].back());
    }
  }
  return windows;
}

}  // namespace

Engine::Engine(const trace::Trace& trace, const Platform& platform, const Barriers& barriers,
               Profile* profile)
    : trace_(trace),
      platform_(platform),
      parameters_(platform.parameters),
      barriers_(barriers),
      profile_(profile),
      network_(platform.parameters, trace.ranks, agenda_, messages_),
      processors_(static_cast<std::size_t>(trace.ranks)),
      places_(trace.communicators.size()) {
  const std::vector<std::uint32_t> windows = windows_of(trace);
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
    const std::uint32_t sequence = trace.sequence_of[static_cast<std::size_t>(rank)];
    processor(rank).walker = trace::Walker(trace.sequences[sequence]);
    if (windows[sequence] > 0) processor(rank).window.assign(std::bit_ceil(windows[sequence]), kNone);
    schedule(processor(rank), rank, 0);
  }
  outcome_.ranks.resize(processors_.size());
}

Result<Outcome> Engine::run() {
  while (!agenda_.empty() && !failure_) {
    const Event event = agenda_.top();
    agenda_.pop();
    if (event.time > trace::kLongest)
      too_long(event.rank);
    else
      handle(event);
  }
  if (failure_) return *failure_;
  report_waiting();
  outcome_.unreceived = data_ - matched_;
  return std::move(outcome_);
}

void Engine::handle(const Event& event) {
  switch (event.happening) {
    case Happening::arrive:
      return network_.arrive(event.subject, event.time);
    case Happening::available:
      return available(event.subject, event.time);
    case Happening::enter:
      return network_.enter(event.subject, event.time);
    case Happening::hop:
      return network_.hop(event.subject, event.time);
    case Happening::step:
      break;
  }
  if (event.subject == processor(event.rank).turn) proceed(event.rank, event.time);
}

void Engine::schedule(Processor& self, std::int32_t rank, Time at) {
  agenda_.push({at, Happening::step, rank, 0, 0, ++self.turn});
}

void Engine::too_long(std::int32_t rank) {
  failure_ = Error{"the run would take longer than 26 days", "rank " + std::to_string(rank),
                   "that is the longest time that can be simulated"};
}

void Engine::proceed(std::int32_t rank, Time now) {
  Processor& self = processor(rank);
  while (!failure_ && advance(self, rank, now)) {
  }
}

/// Returns true when the rank can do more at this moment.
bool Engine::advance(Processor& self, std::int32_t rank, Time now) {
  switch (self.doing) {
    case Doing::next_word:
      return next_word(self, rank, now), true;
    case Doing::begin_call:
      return begin_call(self, rank, now), true;
    case Doing::act:
      return act(self, rank, now);
    case Doing::compute:
      return compute(self, rank, now);
    case Doing::end_stretch:
      return end_stretch(self), true;
    case Doing::look:
      return look(self, rank, now);
    case Doing::send:
      network_.hand_over(self.sending, now);
      self.doing = Doing::act;
      return true;
    case Doing::reply:
      return reply(self, now), true;
    case Doing::wait:
      return wait(self, rank, now);
    case Doing::ended:
      return !self.requests.empty() && serve(self, rank, now, Doing::ended);
    case Doing::idle:
      break;
  }
  return false;
}

/// Keeps the processor busy for some time, then continues with `next`. Returns true when that is at once.
bool Engine::spend(Processor& self, std::int32_t rank, Time now, Time time, Doing next) {
  self.doing = next;
  self.communication += time;
  if (time == 0) return true;
  if (time > trace::kLongest - now) return too_long(rank), false;
  schedule(self, rank, now + time);
  return false;
}

void Engine::next_word(Processor& self, std::int32_t rank, Time now) {
  if (!self.walker.next()) return finish(self, rank, now);
  const trace::Item item = self.walker.item();
  if (item.what() == trace::Item::What::operation) {
    self.doing = parameters_.polls_at_calls() ? Doing::look : Doing::begin_call;
    self.after_look = Doing::begin_call;
    return;
  }
  ++outcome_.operations;
  self.left = static_cast<Time>(std::min<Wide>(
      at_rate(static_cast<std::uint64_t>(item.time()), parameters_.mips_ratio), trace::kLongest + 1));
  self.compute += self.left;
  if (profile_) profile_->computed(rank, 0, self.left);
  self.doing = Doing::compute;
}

// ---- Computing

/// Returns the number of polls in the current computing.
Time Engine::polls_in(const Processor& self) const {
  return parameters_.polls_periodically() ? self.left / parameters_.delta : 0;
}

/// Returns the time of poll 1, 2, ... of the current computing, if the polls before it find nothing.
Time Engine::poll_at(const Processor& self, Time number) const {
  const Wide at = self.began + static_cast<Wide>(number) * parameters_.delta +
                  static_cast<Wide>(number - 1) * parameters_.get_try;
  return static_cast<Time>(std::min<Wide>(at, trace::kLongest + 1));
}

/// Polls that find nothing are not events: the stretch continues until the first poll that will find
/// something.
bool Engine::compute(Processor& self, std::int32_t rank, Time now) {
  if (self.left == 0) return self.doing = Doing::next_word, true;
  if (parameters_.service == Service::interrupt && !self.requests.empty())
    return serve(self, rank, now, Doing::compute);
  self.began = now;
  self.doing = Doing::end_stretch;
  const Time polls = polls_in(self);
  self.poll = polls > 0 && !self.requests.empty() ? 1 : 0;
  const Wide until = static_cast<Wide>(now) + self.left + static_cast<Wide>(polls) * parameters_.get_try;
  self.until =
      self.poll > 0 ? poll_at(self, 1) : static_cast<Time>(std::min<Wide>(until, trace::kLongest + 1));
  if (self.until > trace::kLongest) return too_long(rank), false;
  schedule(self, rank, self.until);
  return false;
}

void Engine::end_stretch(Processor& self) {
  if (self.poll == 0) {
    self.communication += polls_in(self) * parameters_.get_try;
    self.left = 0;
    self.doing = Doing::next_word;
    return;
  }
  self.communication += (self.poll - 1) * parameters_.get_try;
  self.left -= self.poll * parameters_.delta;
  self.poll = 0;
  self.doing = Doing::look;
  self.after_look = Doing::compute;
}

// ---- Service

bool Engine::look(Processor& self, std::int32_t rank, Time now) {
  if (!self.requests.empty()) return serve(self, rank, now, Doing::look);
  return spend(self, rank, now, parameters_.get_try, self.after_look);
}

bool Engine::serve(Processor& self, std::int32_t rank, Time now, Doing next) {
  self.serving = self.requests.front();
  self.requests.pop_front();
  self.after_reply = next;
  return spend(
      self, rank, now,
      parameters_.taking() + parameters_.processing + parameters_.packing(messages_[self.serving].returned),
      Doing::reply);
}

void Engine::reply(Processor& self, Time now) {
  const Message request = messages_[self.serving];
  messages_.give(self.serving);
  const std::uint32_t index = new_message(request.target, request.source, request.returned);
  messages_[index].sort = Message::Sort::reply;
  messages_[index].access = request.access;
  network_.hand_over(index, now);
  self.doing = self.after_reply;
}

std::uint32_t Engine::new_message(std::int32_t source, std::int32_t target, std::uint64_t bytes) {
  const std::uint32_t index = messages_.take();
  Message& message = messages_[index];
  message.source = source;
  message.target = target;
  message.bytes = bytes;
  message.order = processor(source).sent++;
  return index;
}

/// A message has entered the queue of its receiver.
void Engine::available(std::uint32_t index, Time now) {
  Message& message = messages_[index];
  Processor& self = processor(message.target);
  message.number = self.queued++;
  if (message.sort == Message::Sort::request) {
    self.requests.push_back(index);
    return request_available(self, message.target, now);
  }
  std::optional<std::uint32_t> pending = message.access;
  if (message.sort == Message::Sort::data) {
    pending =
        self.matching.come({message.communicator, message.collective, message.source, message.tag}, index);
    const bool probing = self.doing == Doing::idle && self.plan[self.at].what == Action::What::find;
    if (!pending && probing) wake(message.target, now);
    if (!pending) return;
    ++matched_;
  }
  const std::uint32_t number = message.number;
  messages_.give(index);
  fulfil(*pending, number, now);
}

void Engine::request_available(Processor& self, std::int32_t rank, Time now) {
  if (self.doing != Doing::end_stretch) return wake(rank, now);
  if (parameters_.service == Service::interrupt && now < self.until) {
    self.left -= now - self.began;
    self.doing = Doing::compute;
    return schedule(self, rank, now);
  }
  if (!parameters_.polls_periodically() || self.poll > 0) return;
  // The first poll at this moment or later.
  const Wide period = static_cast<Wide>(parameters_.delta) + parameters_.get_try;
  const Wide number = (now - self.began + parameters_.get_try + period - 1) / period;
  if (number > polls_in(self)) return;
  self.poll = static_cast<Time>(std::max<Wide>(number, 1));
  self.until = poll_at(self, self.poll);
  schedule(self, rank, self.until);
}

/// The message of a receive, or the reply to an access, has arrived.
void Engine::fulfil(std::uint32_t index, std::uint32_t number, Time now) {
  Pending& pending = pendings_[index];
  pending.there = true;
  pending.number = number;
  if (pending.forgotten) return pendings_.give(index);
  if (!pending.awaited) return;
  processor(pending.rank).ready.emplace(number, index);
  wake(pending.rank, now);
}

/// An idle rank inspects its queue again.
void Engine::wake(std::int32_t rank, Time now) {
  Processor& self = processor(rank);
  if (self.doing == Doing::idle)
    self.doing = Doing::wait;
  else if (self.doing != Doing::ended)
    return;
  schedule(self, rank, now);
}

}  // namespace parcast::simulate::extrap
