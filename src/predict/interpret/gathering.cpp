// SPDX-License-Identifier: Apache-2.0
// Collectives: a member waits for the members that the pattern needs (message_passing.md, "Measured
// instead").
#include <algorithm>

#include "predict/interpret/interpreter.h"

namespace parcast::interpret {

using recording::Pattern;
using trace::Operation;

namespace {

bool needs_root(Pattern pattern) {
  return pattern == Pattern::broadcast || pattern == Pattern::scatter;
}
bool root_needs(Pattern pattern) {
  return pattern == Pattern::reduce || pattern == Pattern::gather;
}
bool needs_lower(Pattern pattern) {
  return pattern == Pattern::scan;
}

}  // namespace

std::int32_t Interpreter::size_of(std::uint32_t communicator) const {
  return communicator == 0 ? trace_.ranks
                           : static_cast<std::int32_t>(trace_.communicators[communicator].members.size());
}

std::int32_t Interpreter::place_in(std::uint32_t communicator, std::int32_t rank) const {
  return communicator == 0 ? rank : places_[communicator].at(rank);
}

std::int32_t Interpreter::member_of(std::uint32_t communicator, std::int32_t place) const {
  return communicator == 0 ? place
                           : trace_.communicators[communicator].members[static_cast<std::size_t>(place)];
}

std::uint64_t& Interpreter::called(std::int32_t rank, std::uint32_t communicator) {
  auto& all = at(rank).collectives;
  const auto known = std::ranges::find(all, communicator, &std::pair<std::uint32_t, std::uint64_t>::first);
  return known == all.end() ? all.emplace_back(communicator, 0).second : known->second;
}

void Interpreter::collective(std::int32_t rank, const Operation& operation, std::uint32_t index) {
  Rank& self = at(rank);
  const std::uint64_t key = gathering_key(operation.communicator, called(rank, operation.communicator)++);
  const auto [entry, is_new] = gatherings_.try_emplace(key);
  Gathering& gathering = entry->second;
  if (is_new) {
    gathering.pattern = operation.pattern,
    gathering.root = classes_ ? represents(operation.root) : operation.root,
    gathering.members = size_of(operation.communicator);
    gathering.first_rank = rank, gathering.first_operation = index;
    gathering.there.resize(static_cast<std::size_t>(gathering.members));
    if (needs_lower(operation.pattern)) gathering.at.resize(gathering.there.size());
  } else if (gathering.pattern != operation.pattern ||
             trace_.operations[gathering.first_operation].root != operation.root) {
    return fail(trace::different_collectives(trace_, operation.communicator, rank, index,
                                             gathering.first_rank, gathering.first_operation));
  }
  const std::int32_t place = place_in(operation.communicator, rank);
  enter(gathering, place, ranks_like(rank), self.clock);
  self.call.bytes = static_cast<std::int64_t>(operation.bytes);
  if (const std::optional<std::int32_t> steps = costs_.steps(operation, gathering.members, place)) {
    if (gathering.come == gathering.members) gatherings_.erase(key);
    self.step = 0, self.steps = *steps;
    return go_through_steps(rank);
  }
  self.gathered = needed_at(gathering, place);
  self.mood = Mood::gathering;
  if (self.gathered == kUnknown) gathering.inside.push_back(rank);
  const bool lets_others_go = gathering.come == gathering.members ||
                              (needs_root(gathering.pattern) && place == gathering.root) ||
                              needs_lower(gathering.pattern);
  if (lets_others_go) release(gathering, operation);
  if (gathering.come == gathering.members) gatherings_.erase(key);
  if (self.gathered != kUnknown && !self.runnable) leave(rank);
}

void Interpreter::enter(Gathering& gathering, std::int32_t place, std::int64_t ranks, Time now) {
  gathering.come += static_cast<std::int32_t>(ranks);
  gathering.latest = later_of(gathering.latest, now);
  if (place == gathering.root) gathering.root_at = now;
  gathering.there[static_cast<std::size_t>(place)] = true;
  if (!needs_lower(gathering.pattern)) return;
  gathering.at[static_cast<std::size_t>(place)] = now;
  for (; gathering.prefix < gathering.members && gathering.there[static_cast<std::size_t>(gathering.prefix)];
       ++gathering.prefix) {
    Time& latest = gathering.at[static_cast<std::size_t>(gathering.prefix)];
    if (gathering.prefix > 0)
      latest = later_of(latest, gathering.at[static_cast<std::size_t>(gathering.prefix) - 1]);
  }
}

/// Returns when the members have entered that the member at a place needs, without itself; kUnknown: not yet.
Time Interpreter::needed_at(const Gathering& gathering, std::int32_t place) {
  if (needs_root(gathering.pattern)) return place == gathering.root ? 0 : gathering.root_at;
  if (root_needs(gathering.pattern) && place != gathering.root) return 0;
  if (needs_lower(gathering.pattern))
    return place == 0                  ? 0
           : place <= gathering.prefix ? gathering.at[static_cast<std::size_t>(place) - 1]
                                       : kUnknown;
  return gathering.come == gathering.members ? gathering.latest : kUnknown;
}

void Interpreter::release(Gathering& gathering, const Operation& operation) {
  std::erase_if(gathering.inside, [&](std::int32_t rank) {
    const Time needed = needed_at(gathering, place_in(operation.communicator, rank));
    if (needed == kUnknown) return false;
    at(rank).gathered = needed;
    let_go(rank);
    return true;
  });
}

CollectiveStep Interpreter::current_step(std::int32_t rank) const {
  const Rank& self = at(rank);
  const Operation& operation = operation_of(self);
  CollectiveStep step = costs_.step(operation, size_of(operation.communicator),
                                    place_in(operation.communicator, rank), self.step - 1);
  if (step.to >= 0) step.to = member_of(operation.communicator, step.to);
  if (step.from >= 0) step.from = member_of(operation.communicator, step.from);
  return step;
}

/// Executes steps until the rank has to wait in one, or the collective is over. A step is a started receive,
/// a started send, and a wait for both.
void Interpreter::go_through_steps(std::int32_t rank) {
  Rank& self = at(rank);
  const std::uint32_t communicator = private_communicator(operation_of(self).communicator);
  while (self.step < self.steps) {
    self.mood = Mood::ready, ++self.step;
    const CollectiveStep step = current_step(rank);
    if (step.from >= 0)
      self.awaited.push_back(kStepReceives), post(rank, step.from, 0, communicator, kStepReceives);
    if (step.to >= 0)
      self.awaited.push_back(kStepSends),
          dispatch(rank,
                   {.to = step.to, .communicator = communicator, .bytes = step.sent, .request = kStepSends});
    self.mood = Mood::waiting;
    if (failure_ || !all_known(self)) return;
    take_awaited(self);
  }
  self.step = self.steps = 0;
  finish_call(rank);
}

void Interpreter::leave(std::int32_t rank) {
  Rank& self = at(rank);
  const Operation& operation = operation_of(self);
  const Result<CollectiveTimes> times = costs_.collective(operation, size_of(operation.communicator));
  if (!times) return fail(times.error());
  if (self.gathered > self.clock) {
    // The root waits here, and the others of its class do not.
    if (classes_ && root_needs(operation.pattern) && ranks_like(rank) > 1) apart_ = true;
    if (watches()) watch_wait(self, self.gathered - self.clock, 0, 0, 0);
    self.call.wait += self.gathered - self.clock;
    self.clock = self.gathered;
  } else {
    watch(self.clock - self.gathered, Comparison::What::larger);
  }
  // The process is neither idle nor always at work then: its period is extended.
  self.clock += times->startup + times->transfer;
  self.budget.hold(times->startup + times->transfer);
  self.call.startup += times->startup, self.call.transfer += times->transfer;
  finish_call(rank);
}

}  // namespace parcast::interpret
