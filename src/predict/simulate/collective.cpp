// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/engine.h"

namespace parcast::simulate {

std::int32_t Engine::world_rank(std::uint32_t communicator, std::int32_t place) const {
  return communicator == 0 ? place : trace_.communicators[communicator].members[static_cast<std::size_t>(place)];
}

/// Messages of collectives match among themselves, in order per source and communicator.
Channel& Engine::collective_channel(std::int32_t receiver, std::uint32_t communicator, std::int32_t source) {
  return seldom_of(receiver).collective_channels[std::uint64_t{communicator} << 32 | static_cast<std::uint32_t>(source)];
}

bool Engine::begin_collective(Rank& self, std::int32_t rank, const trace::Operation& operation) {
  const std::uint32_t communicator = operation.communicator;
  const auto ranks = static_cast<std::size_t>(trace_.ranks);
  CollectiveCall call;
  call.pattern = operation.pattern;
  call.algorithm = *algorithm_for(operation.pattern, operation.bytes, platform_.long_collective);
  call.members = communicator == 0 ? trace_.ranks : static_cast<std::int32_t>(trace_.communicators[communicator].members.size());
  call.rank = communicator == 0 ? rank : static_cast<std::int32_t>(compiled_.place_in[communicator * ranks + static_cast<std::size_t>(rank)]);
  call.root = operation.root;
  call.bytes = operation.bytes;
  seldom_of(rank).progress = {call, 0, steps_of(call), communicator};
  self.in_collective = self.in_call = true;
  return continue_collective(self, rank);
}

/// Steps one after the other, until one must be waited for.
bool Engine::continue_collective(Rank& self, std::int32_t rank) {
  Progress& progress = seldom_of(rank).progress;
  while (progress.step < progress.steps) {
    const CollectiveStep step = step_of(progress.call, progress.step++);
    self.awaited.clear();
    if (step.from >= 0) self.awaited.push_back(post_step(self, rank, world_rank(progress.communicator, step.from)));
    if (step.to >= 0) {
      const std::uint32_t request = send_step(self, rank, world_rank(progress.communicator, step.to), step.sent);
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
  return send(self, rank, target, compiled_.costs.find(platform_.link_between(rank, target), bytes, trace::Mode::standard), kNone);
}

std::uint32_t Engine::post_step(Rank& self, std::int32_t rank, std::int32_t source) {
  const std::uint32_t index = requests_.take();
  Request& request = requests_[index];
  request.time = self.clock;
  request.rank = rank;
  request.receive = true;
  if (compiled_.rendezvous) ++self.open_receives;
  Channel& channel = collective_channel(rank, seldom_of(rank).progress.communicator, source);
  if (channel.first != kNone && channel.of_messages) {
    match(take_first(channel, messages_), index);
  } else {
    channel.of_messages = false;
    append(channel, requests_, index);
  }
  return index;
}

}  // namespace parcast::simulate
