// SPDX-License-Identifier: Apache-2.0
// Barriers as in ExtraP; other collectives as the messages of their schedules.
#include "predict/simulate/extrap/engine.h"
#include "predict/simulate/waiting.h"

namespace parcast::simulate::extrap {

using What = Action::What;

std::int32_t Engine::world_rank(std::uint32_t communicator, std::int32_t place) const {
  return communicator == 0 ? place
                           : trace_.communicators[communicator].members[static_cast<std::size_t>(place)];
}

std::int32_t Engine::place_in(std::uint32_t communicator, std::int32_t rank) {
  if (communicator == 0) return rank;
  auto& places = places_[communicator];
  if (places.empty())
    for (const std::int32_t member : trace_.communicators[communicator].members)
      places.emplace(member, static_cast<std::int32_t>(places.size()));
  return places.at(rank);
}

void Engine::begin_collective(Processor& self, std::int32_t rank, std::uint32_t index, Time now) {
  const trace::Operation& operation = trace_.operations[index];
  self.communicator = operation.communicator;
  self.call.pattern = operation.pattern;
  const auto own = platform_.collectives.find(operation.pattern);
  self.call.algorithm = machine::algorithm_at(
      own == platform_.collectives.end() ? machine::usual_algorithms(operation.pattern) : own->second,
      operation.bytes, operation.uneven);
  self.call.members =
      operation.communicator == 0
          ? trace_.ranks
          : static_cast<std::int32_t>(trace_.communicators[operation.communicator].members.size());
  self.call.rank = place_in(operation.communicator, rank);
  self.call.root = operation.root;
  self.call.bytes = operation.bytes;
  self.meeting = std::uint64_t{operation.communicator} << 40 | self.met[operation.communicator]++;
  Meeting& meeting =
      meetings_.try_emplace(self.meeting, Meeting{.gathering = {self.call, rank, index}}).first->second;
  if (meeting.gathering.pattern != self.call.pattern || meeting.gathering.root != self.call.root) {
    failure_ = different_collectives(trace_, operation.communicator, rank, index,
                                     meeting.gathering.first_rank, meeting.gathering.operation);
    return;
  }
  meeting.gathering.enter(self.call.rank, now);
  const bool barrier = operation.pattern == recording::Pattern::barrier;
  if (barrier && !parameters_.barrier_by_messages) return plan_hardware_barrier(self, rank);
  if (meeting.gathering.complete()) meetings_.erase(self.meeting);
  if (barrier) return plan_barrier(self);
  self.in_collective = true;
  self.step = 0;
  self.steps = steps_of(self.call);
}

/// Receives from the children, sends to the parent, waits for its release, and releases the children.
void Engine::plan_barrier(Processor& self) {
  const BarrierPlace place = barrier_place(barriers_(self.communicator), self.call.members, self.call.rank);
  const bool master = place.parent < 0, checks = master || !place.children.empty();
  const auto add = [&](const Action& action) { self.plan.push_back(action); };
  const auto other = [&](std::int32_t of) { return world_rank(self.communicator, of); };
  add({.what = What::spend, .time = parameters_.entry + (checks ? parameters_.check : 0)});
  for (const std::int32_t child : place.children) add({.what = What::post, .partner = other(child)});
  if (!place.children.empty()) add({.what = What::await_all, .time = parameters_.check});
  if (master) {
    add({.what = What::spend, .time = parameters_.model});
  } else {
    add({.what = What::send, .partner = other(place.parent), .bytes = parameters_.barrier_bytes});
    add({.what = What::post, .partner = other(place.parent)});
    add({.what = What::await_all, .time = parameters_.exit_check});
  }
  for (const std::int32_t child : place.children)
    add({.what = What::send, .partner = other(child), .bytes = parameters_.barrier_bytes});
  add({.what = What::spend, .time = parameters_.exit});
}

void Engine::plan_hardware_barrier(Processor& self, std::int32_t rank) {
  const bool master = self.call.rank == 0;
  if (master) meetings_.at(self.meeting).master = rank;
  self.plan.push_back({.what = What::spend, .time = parameters_.entry});
  self.plan.push_back({.what = What::join});
  if (master) {
    self.plan.push_back({.what = What::await_all_in});
    self.plan.push_back({.what = What::spend, .time = parameters_.check + parameters_.model});
    self.plan.push_back({.what = What::lower});
  } else {
    self.plan.push_back({.what = What::await_lowered});
    self.plan.push_back({.what = What::spend, .time = parameters_.exit_check});
  }
  self.plan.push_back({.what = What::spend, .time = parameters_.exit});
}

/// Plans the next step of a collective by messages.
void Engine::plan_step(Processor& self) {
  self.plan.clear();
  self.at = 0;
  if (self.step == self.steps) {
    self.in_collective = false;
    return;
  }
  const CollectiveStep step = step_of(self.call, self.step++);
  if (step.from >= 0)
    self.plan.push_back({.what = What::post, .partner = world_rank(self.communicator, step.from)});
  if (step.to >= 0)
    self.plan.push_back(
        {.what = What::send, .partner = world_rank(self.communicator, step.to), .bytes = step.sent});
  if (step.from >= 0) self.plan.push_back({.what = What::await_all});
}

void Engine::join(Processor& self, std::int32_t rank, Time now) {
  Meeting& meeting = meetings_.at(self.meeting);
  self.doing = Doing::act;
  meeting.members_in.push_back(rank);
  if (std::cmp_not_equal(meeting.members_in.size(), self.call.members)) return;
  meeting.all_in = now;
  if (meeting.master != rank) wake(meeting.master, now);
}

void Engine::lower(Processor& self, Time now) {
  Meeting& meeting = meetings_.at(self.meeting);
  self.doing = Doing::act;
  meeting.lowered = now;
  const std::vector<std::int32_t> members = meeting.members_in;
  const std::int32_t master = meeting.master;
  leave(self);
  for (const std::int32_t member : members)
    if (member != master) wake(member, now);
}

/// The last member to leave removes the meeting.
void Engine::leave(Processor& self) {
  Meeting& meeting = meetings_.at(self.meeting);
  if (++meeting.gathering.left == self.call.members) meetings_.erase(self.meeting);
}

/// Returns when the event occurred that a member awaits in a barrier without messages; kUnknown before.
Time Engine::released(const Processor& self) const {
  const Meeting& meeting = meetings_.at(self.meeting);
  return self.plan[self.at].what == What::await_all_in ? meeting.all_in : meeting.lowered;
}

}  // namespace parcast::simulate::extrap
