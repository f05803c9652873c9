// SPDX-License-Identifier: Apache-2.0
// Locks of windows, served by the network without the owner's processor. docs/models/remote_epochs.md.
#include "predict/simulate/locks.h"

#include "predict/simulate/engine.h"
#include "predict/simulate/steps.h"

namespace parcast::simulate {
namespace {

constexpr Time kOwnLatency = 1;  // of requests for the own part

PartKey key_of(const trace::Operation& operation, std::int32_t owner) {
  return {operation.communicator, operation.tag, owner};
}

}  // namespace

std::uint32_t Engine::control_cost(std::int32_t from, std::int32_t to) {
  return compiled_.costs.find(platform_.link_between(from, to), 0, trace::Mode::buffered);
}

Time Engine::lock_latency(std::int32_t rank, std::int32_t owner) {
  return rank == owner ? kOwnLatency : compiled_.costs[control_cost(rank, owner)].latency;
}

void Engine::for_each_owner(std::int32_t rank, const trace::Operation& operation,
                            const std::function<void(std::int32_t)>& then) const {
  if (operation.peer != trace::kAny) return then(rank + operation.peer);
  const auto members =
      operation.communicator == 0
          ? trace_.ranks
          : static_cast<std::int32_t>(trace_.communicators[operation.communicator].members.size());
  for (std::int32_t place = 0; place < members; ++place) then(world_rank(operation.communicator, place));
}

/// A rank's own calls must be paired: it must not lock a part that it holds, and must release only parts that
/// it holds. Returns false, and fails the run, otherwise.
bool Engine::changes_own_locks(std::int32_t rank, std::uint32_t index) {
  const trace::Operation& operation = trace_.operations[index];
  const PartKey part = key_of(operation, operation.peer == trace::kAny ? kAllParts : rank + operation.peer);
  OwnLocks& own = seldom_of(rank).locks;
  const bool takes = trace::locks(operation.kind);
  if (takes ? own.insert(part).second : own.erase(part) > 0) return true;
  const std::string what =
      "window " + std::to_string(operation.tag) + " of " +
      (operation.peer == trace::kAny ? "all ranks" : "rank " + std::to_string(rank + operation.peer));
  failure_ =
      Error{takes ? "it locks " + what + " again, and has not given it back"
                  : "it gives back a lock of " + what + " that it does not hold",
            "rank " + std::to_string(rank) + ", word " + std::to_string(rank_of(rank).walker.position() - 1),
            "every lock is given back once, before the next of the same part"};
  return false;
}

/// The overhead of a simultaneous request to several owners is that of the most expensive one.
void Engine::spend_on_locks(Rank& self, std::int32_t rank, const trace::Operation& operation) {
  Time overhead = 0;
  for_each_owner(rank, operation, [&](std::int32_t owner) {
    if (owner != rank) overhead = std::max(overhead, compiled_.costs[control_cost(rank, owner)].asks_after);
  });
  self.communication += work(self, rank, overhead);
}

void Engine::send_to_owner(std::int32_t rank, std::int32_t owner, std::uint32_t index, std::uint32_t request,
                           std::uint32_t order) {
  const std::uint32_t number = messages_.take();
  Message& message = messages_[number];
  message.source = rank;
  message.target = owner;
  message.order = order;
  message.operation = index;
  message.send = request;
  agenda_.push({rank_of(rank).clock + lock_latency(rank, owner),
                request == kNone ? EventKind::unlock : EventKind::lock, owner, rank, order, number});
}

void Engine::count_control(std::int32_t rank, std::int32_t owner, std::uint64_t messages) {
  if (rank == owner) return;
  outcome_.messages += messages;
  matched_ += messages;
}

/// Returns the request that completes when all owners have granted the lock. When no rank ever locks the
/// window exclusively, each owner grants it at once.
std::uint32_t Engine::lock(Rank& self, std::int32_t rank, std::uint32_t index) {
  const trace::Operation& operation = trace_.operations[index];
  if (!changes_own_locks(rank, index)) return kNone;
  spend_on_locks(self, rank, operation);
  const std::uint32_t number = requests_.take(), order = self.sends++;
  Request& request = requests_[number];
  request.rank = rank;
  request.operation = index;
  request.time = self.clock;
  request.next = 0;
  for_each_owner(rank, operation, [&](std::int32_t owner) {
    count_control(rank, owner, 2);
    if (!compiled_.contested[index]) {
      request.time = std::max(request.time, self.clock + 2 * lock_latency(rank, owner));
      return;
    }
    ++request.next;
    send_to_owner(rank, owner, index, number, order);
  });
  request.complete = request.next == 0;
  return number;
}

void Engine::unlock(Rank& self, std::int32_t rank, std::uint32_t index) {
  const trace::Operation& operation = trace_.operations[index];
  if (!changes_own_locks(rank, index)) return;
  spend_on_locks(self, rank, operation);
  const std::uint32_t order = self.sends++;
  for_each_owner(rank, operation, [&](std::int32_t owner) {
    count_control(rank, owner, 1);
    if (compiled_.contested[index]) send_to_owner(rank, owner, index, kNone, order);
  });
}

LockedPart& Engine::part_of(const Message& message) {
  return locked_[key_of(trace_.operations[message.operation], message.target)];
}

/// Handles a request at the owner. A request compatible with the current holders overtakes those that are
/// not. Otherwise two ranks that lock all parts could deadlock, each queued after a rank that requests a part
/// of the other exclusively.
void Engine::asked_for(std::uint32_t index, Time now) {
  LockedPart& part = part_of(messages_[index]);
  if (part.admits(wants_alone(messages_[index])))
    grant(part, index, now);
  else
    part.requests.push_back(index);
}

void Engine::given_back(std::uint32_t index, Time now) {
  LockedPart& part = part_of(messages_[index]);
  part.holders.erase(messages_[index].source);
  messages_.give(index);
  for (auto at = part.requests.begin(); at != part.requests.end();) {
    if (!part.admits(wants_alone(messages_[*at]))) {
      ++at;
      continue;
    }
    grant(part, *at, now);
    at = part.requests.erase(at);
  }
}

void Engine::grant(LockedPart& part, std::uint32_t index, Time now) {
  const Message& message = messages_[index];
  part.holders.insert(message.source);
  part.exclusive = wants_alone(message);
  const std::uint32_t number = message.send;
  Request& request = requests_[number];
  request.time = std::max(request.time, now + lock_latency(message.source, message.target));
  messages_.give(index);
  if (--request.next > 0) return;
  request.complete = true;
  if (request.awaited) one_known(number);
}

/// Adds the holders of the parts for which a rank waits.
void Engine::add_holders(std::uint32_t request, std::vector<std::int32_t>& ranks) const {
  for (const auto& [key, part] : locked_) {
    const bool waits = std::any_of(part.requests.begin(), part.requests.end(),
                                   [&](std::uint32_t message) { return messages_[message].send == request; });
    if (waits) ranks.insert(ranks.end(), part.holders.begin(), part.holders.end());
  }
}

}  // namespace parcast::simulate
