// SPDX-License-Identifier: Apache-2.0
// Actions of the calls of a trace: times, messages, and waits.
#include "predict/simulate/extrap/engine.h"

namespace parcast::simulate::extrap {

using trace::Kind;
using trace::Operation;
using What = Action::What;

void Engine::begin_call(Processor& self, std::int32_t rank, Time now) {
  self.plan.clear();
  self.own.clear();
  self.at = 0;
  self.since = now;
  self.doing = Doing::act;
  if (profile_) note_entered(self, rank, now);
  plan_call(self, rank, self.walker.item().index(), now);
}

void Engine::plan_call(Processor& self, std::int32_t rank, std::uint32_t index, Time now) {
  const Operation& operation = trace_.operations[index];
  if (operation.kind != Kind::wait) ++outcome_.operations;
  const std::int32_t partner = operation.peer == trace::kAny ? trace::kAny : rank + operation.peer;
  switch (operation.kind) {
    case Kind::send:
    case Kind::start_send:
      self.plan.push_back(
          {.what = What::send, .partner = partner, .bytes = operation.bytes, .operation = index});
      if (operation.kind == Kind::start_send) remember(self, kNone);
      return;
    case Kind::receive:
      self.plan.push_back({.what = What::post, .partner = partner, .operation = index});
      self.plan.push_back({.what = What::await_all});
      return;
    case Kind::start_receive:
      self.plan.push_back({.what = What::post, .partner = partner, .operation = index, .named = true});
      return;
    case Kind::probe:
      self.plan.push_back({.what = What::find, .partner = partner, .operation = index});
      return;
    case Kind::wait:
      self.plan.push_back({.what = What::await_all, .named = true});
      return await_set(self, operation, rank);
    case Kind::collective:
      return begin_collective(self, rank, index, now);
    case Kind::lock_shared:
    case Kind::lock_exclusive:
    case Kind::unlock:
      return;  // ExtraP has no locks: no rank waits for another there
    case Kind::read:
    case Kind::write:
    case Kind::start_read:
    case Kind::start_write:
      break;
  }
  plan_access(self, rank, index);
}

/// Plans a request and its reply. The rank's own memory is not remote: nothing is sent, and no time passes.
void Engine::plan_access(Processor& self, std::int32_t rank, std::uint32_t index) {
  const Operation& operation = trace_.operations[index];
  const bool named = trace::begins_request(operation.kind),
             reads = operation.kind == Kind::read || operation.kind == Kind::start_read;
  ++outcome_.accesses;
  if (operation.peer == 0) {
    if (named) remember(self, kNone);
    return;
  }
  const std::uint64_t control = parameters_.request_bytes;
  self.plan.push_back({.what = What::access,
                       .partner = rank + operation.peer,
                       .bytes = reads ? control : control + operation.bytes,
                       .returned = reads ? operation.bytes : control,
                       .operation = index,
                       .named = named});
  if (!named) self.plan.push_back({.what = What::await_all});
}

bool Engine::act(Processor& self, std::int32_t rank, Time now) {
  if (self.at == self.plan.size()) {
    if (self.in_collective) return plan_step(self), true;
    if (profile_) note_stayed(self, rank, now);
    return self.doing = Doing::next_word, true;
  }
  const Action& action = self.plan[self.at];
  switch (action.what) {
    case What::spend:
      return ++self.at, spend(self, rank, now, action.time, Doing::act);
    case What::send:
    case What::access:
      return ++self.at, send(self, rank, action, now);
    case What::post:
      return ++self.at, post(self, rank, action), true;
    case What::join:
      return ++self.at, join(self, rank, now), true;
    case What::lower:
      return ++self.at, lower(self, now), true;
    case What::await_all:
      if (!action.named)
        for (const std::uint32_t pending : self.own) await(self, pending);
      break;
    case What::find:
    case What::await_all_in:
    case What::await_lowered:
      break;
  }
  self.doing = Doing::wait;
  return true;
}

/// Takes or serves the earliest arrival. Continues when nothing is missing, and idles when nothing has
/// arrived.
bool Engine::wait(Processor& self, std::int32_t rank, Time now) {
  if (self.plan[self.at].what == What::find) return find(self, rank, now);
  const bool by_messages = self.plan[self.at].what == What::await_all;
  if (by_messages && self.missing == 0) {
    self.own.clear();
    return ++self.at, self.doing = Doing::act, true;
  }
  const bool has_request = !self.requests.empty(), has_ready = by_messages && !self.ready.empty();
  const Time release = by_messages ? kUnknown : released(self);
  const bool request_first =
      has_request && (!has_ready || messages_[self.requests.front()].number < self.ready.top().first) &&
      (release == kUnknown || messages_[self.requests.front()].available <= release);
  if (request_first) return serve(self, rank, now, Doing::wait);
  if (has_ready) return take(self, rank, now);
  if (release == kUnknown) return self.doing = Doing::idle, false;
  if (self.plan[self.at].what == What::await_lowered) leave(self);
  return ++self.at, self.doing = Doing::act, true;
}

/// A probe: requests that arrived before the message are served first.
bool Engine::find(Processor& self, std::int32_t rank, Time now) {
  const Action& action = self.plan[self.at];
  const Operation& wanted = trace_.operations[action.operation];
  const auto message = self.matching.first({wanted.communicator, false, action.partner, wanted.tag});
  if (!self.requests.empty() &&
      (!message || messages_[self.requests.front()].number < messages_[*message].number))
    return serve(self, rank, now, Doing::wait);
  if (!message) return self.doing = Doing::idle, false;
  return ++self.at, self.doing = Doing::act, true;
}

bool Engine::take(Processor& self, std::int32_t rank, Time now) {
  const std::uint32_t index = self.ready.top().second;
  self.ready.pop();
  --self.missing;
  const Pending& pending = pendings_[index];
  (pending.named ? self.window : self.own)[pending.slot] = kNone;
  pendings_.give(index);
  return spend(self, rank, now, parameters_.taking() + self.plan[self.at].time, Doing::wait);
}

/// A message, or the request of an access: the processor packs it, then hands it over.
bool Engine::send(Processor& self, std::int32_t rank, const Action& action, Time now) {
  const std::uint32_t index = new_message(rank, action.partner, action.bytes);
  Message& message = messages_[index];
  const bool collective = action.operation == kNone, access = action.what == What::access;
  if (access) {
    message.sort = Message::Sort::request;
    message.returned = action.returned;
    message.access = begin_pending(
        self, {.rank = rank, .partner = action.partner, .operation = action.operation}, action.named);
  } else {
    ++data_;
    message.collective = collective;
    message.communicator = collective ? self.communicator : trace_.operations[action.operation].communicator;
    message.tag = collective ? 0 : trace_.operations[action.operation].tag;
  }
  (collective ? outcome_.collective_messages : outcome_.messages) += access ? 2 : 1;
  (collective ? outcome_.collective_bytes : outcome_.bytes) += action.bytes + action.returned;
  self.sending = index;
  return spend(self, rank, now, parameters_.packing(action.bytes), Doing::send);
}

void Engine::post(Processor& self, std::int32_t rank, const Action& action) {
  const bool collective = action.operation == kNone;
  const std::uint32_t index = begin_pending(
      self, {.rank = rank, .partner = action.partner, .operation = action.operation}, action.named);
  const Signature signature{collective ? self.communicator : trace_.operations[action.operation].communicator,
                            collective, action.partner,
                            collective ? 0 : trace_.operations[action.operation].tag};
  const auto message = self.matching.post(signature, index);
  if (!message) return;
  ++matched_;
  pendings_[index].there = true;
  pendings_[index].number = messages_[*message].number;
  messages_.give(*message);
  if (pendings_[index].forgotten) pendings_.give(index);
}

std::uint32_t Engine::begin_pending(Processor& self, Pending like, bool named) {
  const std::uint32_t index = pendings_.take();
  like.named = named;
  like.slot = self.own.size();
  pendings_[index] = like;
  if (named)
    remember(self, index);
  else
    self.own.push_back(index);
  return index;
}

/// Numbers a request for later waits, and forgets the request that no wait can name any more. kNone: complete
/// at once.
void Engine::remember(Processor& self, std::uint32_t pending) {
  const std::uint32_t number = self.begun++;
  if (self.window.empty()) {
    if (pending != kNone) forget(pending);
    return;
  }
  const std::size_t slot = number & (self.window.size() - 1);
  if (self.window[slot] != kNone) forget(self.window[slot]);
  self.window[slot] = pending;
  if (pending != kNone) pendings_[pending].slot = slot;
}

void Engine::forget(std::uint32_t index) {
  pendings_[index].forgotten = true;
  if (pendings_[index].there) pendings_.give(index);
}

void Engine::await_set(Processor& self, const Operation& operation, std::int32_t rank) {
  for (const std::uint32_t distance : trace_.request_sets[operation.requests]) {
    if (distance > self.begun) {
      failure_ =
          Error{"a wait names a request that was never begun",
                "rank " + std::to_string(rank) + ", word " + std::to_string(self.walker.position()), ""};
      return;
    }
    const std::uint32_t pending = self.window[(self.begun - distance) & (self.window.size() - 1)];
    if (pending != kNone) await(self, pending);
  }
}

void Engine::await(Processor& self, std::uint32_t index) {
  Pending& pending = pendings_[index];
  ++self.missing;
  pending.awaited = true;
  if (pending.there) self.ready.emplace(pending.number, index);
}

}  // namespace parcast::simulate::extrap
