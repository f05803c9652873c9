// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "predict/simulate/engine.h"
#include "predict/simulate/steps.h"
#include "predict/simulate/waiting.h"

namespace parcast::simulate {

std::int32_t Engine::world_rank(std::uint32_t communicator, std::int32_t place) const {
  return communicator == 0 ? place
                           : trace_.communicators[communicator].members[static_cast<std::size_t>(place)];
}

namespace {

/// Returns the channel of a collective's messages: they match only each other, in order per source and
/// communicator.
std::uint64_t channel_key(std::uint32_t communicator, std::int32_t source) {
  return std::uint64_t{communicator} << 32 | static_cast<std::uint32_t>(source);
}

}  // namespace

void Engine::deliver_step(std::int32_t source, std::int32_t target, std::uint32_t message) {
  const std::uint64_t key = channel_key(seldom_of(source).progress.communicator, source);
  Seldom& receiver = seldom_of(target);
  if (receiver.expecting != kNone && receiver.expected == key)
    match(message, std::exchange(receiver.expecting, kNone));
  else
    receiver.early.add(key, message);
}

bool Engine::begin_collective(Rank& self, std::int32_t rank, std::uint32_t index) {
  const trace::Operation& operation = trace_.operations[index];
  const std::uint32_t communicator = operation.communicator;
  CollectiveCall call;
  call.pattern = operation.pattern;
  call.algorithm =
      machine::algorithm_at(platform_.algorithms(operation.pattern), operation.bytes, operation.uneven);
  call.members = communicator == 0
                     ? trace_.ranks
                     : static_cast<std::int32_t>(trace_.communicators[communicator].members.size());
  call.rank = compiled_.place_in(communicator, rank);
  call.root = operation.root;
  call.bytes = operation.bytes;
  Seldom& seldom = seldom_of(rank);
  const std::uint64_t number = seldom.collectives[communicator]++;
  seldom.progress = {call,
                     0,
                     steps_of(call),
                     communicator,
                     std::uint64_t{communicator} << 40 | number,
                     compiled_.measured_time[index]};
  if (!join(call, self.clock, rank, index)) return false;
  self.in_call = true;
  if (seldom.progress.measured != kUnknown) return wait_for_members(self, rank);
  self.in_collective = true;
  return continue_collective(self, rank);
}

/// Returns false, and fails the run, when members call different collectives.
bool Engine::join(const CollectiveCall& call, Time now, std::int32_t rank, std::uint32_t operation) {
  const Progress& progress = seldom_of(rank).progress;
  Gathering& gathering = gatherings_.try_emplace(progress.gathering, call, rank, operation).first->second;
  if (gathering.pattern != call.pattern || gathering.root != call.root) {
    failure_ = different_collectives(trace_, progress.communicator, rank, operation, gathering.first_rank,
                                     gathering.operation);
    return false;
  }
  gathering.enter(call.rank, now);
  if (progress.measured == kUnknown && gathering.complete()) gatherings_.erase(progress.gathering);
  return true;
}

/// Enters a collective with a measured time: a member leaves when the members that it needs have entered and
/// that time has passed.
bool Engine::wait_for_members(Rank& self, std::int32_t rank) {
  const std::uint64_t key = seldom_of(rank).progress.gathering;
  Gathering& gathering = gatherings_.at(key);
  if (observed()) [[unlikely]]
    tell(&Observer::came, rank, key, seldom_of(rank).progress.call.rank, self.clock);
  self.gathered = true;
  self.mood = Mood::waiting;
  gathering.waiting.push_back(rank);
  std::erase_if(gathering.waiting, [&](std::int32_t each) { return try_to_leave(each, gathering); });
  if (gathering.left == gathering.members) gatherings_.erase(key);
  return false;
}

bool Engine::try_to_leave(std::int32_t rank, Gathering& gathering) {
  Rank& self = rank_of(rank);
  const Progress& progress = seldom_of(rank).progress;
  const Time released = gathering.released(progress.call.rank, self.clock);
  if (released == kUnknown) return false;
  if (observed()) [[unlikely]]
    tell(&Observer::released, rank, progress.gathering, released, progress.measured);
  self.clock = std::min(released + progress.measured, trace::kLongest + 1);
  self.communication = std::min(self.communication + progress.measured, trace::kLongest + 1);
  if (!budgets_.empty()) budgets_[static_cast<std::size_t>(rank)].hold(progress.measured);
  self.mood = Mood::due;
  ++gathering.left;
  resume(rank, self.clock);
  return true;
}

/// Executes steps until one has to wait.
bool Engine::continue_collective(Rank& self, std::int32_t rank) {
  Progress& progress = seldom_of(rank).progress;
  while (progress.step < progress.steps) {
    const CollectiveStep step = step_of(progress.call, progress.step++);
    self.awaited.clear();
    if (step.from >= 0)
      self.awaited.push_back(post_step(self, rank, world_rank(progress.communicator, step.from)));
    if (step.to >= 0) {
      const std::uint32_t request =
          send_step(self, rank, world_rank(progress.communicator, step.to), step.sent);
      if (request != kNone) self.awaited.push_back(request);
    }
    if (!self.awaited.empty() && !stay(self, rank)) return false;
  }
  self.in_collective = self.in_call = false;
  self.exit = self.clock;
  return true;
}

std::uint32_t Engine::send_step(Rank& self, std::int32_t rank, std::int32_t target, std::uint64_t bytes) {
  ++outcome_.collective_messages;
  outcome_.collective_bytes += bytes;
  step_bytes_ = bytes;
  return send(self, rank, target,
              compiled_.costs.find(platform_.link_between(rank, target), bytes, trace::Mode::standard),
              kNone);
}

std::uint32_t Engine::post_step(Rank& self, std::int32_t rank, std::int32_t source) {
  const std::uint32_t index = requests_.take();
  Request& request = requests_[index];
  request.time = self.clock;
  request.rank = rank;
  request.receive = true;
  if (compiled_.rendezvous) ++self.open_receives;
  if (observed()) [[unlikely]]
    tell(&Observer::posted, index, rank, self.clock);
  Seldom& seldom = seldom_of(rank);
  const std::uint64_t key = channel_key(seldom.progress.communicator, source);
  const std::uint32_t message = seldom.early.take(key);
  if (message != kNone)
    match(message, index);
  else
    seldom.expected = key, seldom.expecting = index;
  return index;
}

}  // namespace parcast::simulate
