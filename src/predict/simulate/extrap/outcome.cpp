// SPDX-License-Identifier: Apache-2.0
// The end of a run: finished ranks, and what the others wait for.
#include <algorithm>
#include <functional>
#include <map>

#include "predict/simulate/extrap/engine.h"
#include "predict/simulate/waiting.h"

namespace parcast::simulate::extrap {

/// What the processor did for others since the last call counts as part of this one.
void Engine::note_entered(Processor& self, std::int32_t rank, Time now) {
  self.entered = now - (self.communication - self.noted);
  profile_->entered(rank, self.walker.item().index(), self.entered);
}

void Engine::note_stayed(Processor& self, std::int32_t rank, Time now) {
  profile_->stayed({rank, self.walker.item().index(), self.entered, now, self.communication - self.noted});
  self.noted = self.communication;
}

void Engine::finish(Processor& self, std::int32_t rank, Time now) {
  self.finished = true;
  if (profile_) profile_->ended(rank, now);
  self.doing = Doing::ended;
  outcome_.ranks[static_cast<std::size_t>(rank)] = {now, self.compute, self.communication, true};
  outcome_.makespan = std::max(outcome_.makespan, now);
}

void Engine::report_waiting() {
  for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
    const Processor& self = processor(rank);
    if (self.finished) continue;
    outcome_.ranks[static_cast<std::size_t>(rank)] = {self.since, self.compute, self.communication, false};
    outcome_.waiting.push_back(waiting_of(self, rank));
  }
  explain_hang(trace_, outcome_);
}

Waiting Engine::waiting_of(const Processor& self, std::int32_t rank) const {
  Waiting waiting{.rank = rank,
                  .word = self.walker.position() - 1,
                  .operation = self.walker.item().index(),
                  .since = self.since};
  if (const trace::Operation& probe = trace_.operations[waiting.operation];
      probe.kind == trace::Kind::probe) {
    if (probe.peer != trace::kAny) waiting.for_ranks.push_back(rank + probe.peer);
    return waiting;
  }
  const bool by_messages = self.at < self.plan.size() && self.plan[self.at].what == Action::What::await_all;
  if (!by_messages) {
    waiting.for_ranks = absent_members(self);
    return waiting;
  }
  for (const auto* pendings : {&self.window, &self.own}) {
    for (const std::uint32_t index : *pendings) {
      if (index == kNone || !pendings_[index].awaited || pendings_[index].there) continue;
      if (pendings_[index].operation != kNone) waiting.for_operations.push_back(pendings_[index].operation);
      if (pendings_[index].partner != trace::kAny) waiting.for_ranks.push_back(pendings_[index].partner);
    }
  }
  std::sort(waiting.for_ranks.begin(), waiting.for_ranks.end());
  waiting.for_ranks.erase(std::unique(waiting.for_ranks.begin(), waiting.for_ranks.end()),
                          waiting.for_ranks.end());
  return waiting;
}

/// Returns the members that have not entered a barrier without messages.
std::vector<std::int32_t> Engine::absent_members(const Processor& self) const {
  const Meeting& meeting = meetings_.at(self.meeting);
  std::vector<std::int32_t> absent;
  for (std::int32_t place = 0; place < self.call.members; ++place) {
    const std::int32_t member = world_rank(self.communicator, place);
    if (std::find(meeting.members_in.begin(), meeting.members_in.end(), member) == meeting.members_in.end())
      absent.push_back(member);
  }
  return absent;
}

namespace {

constexpr std::uint32_t kMostUnderWay = 1 << 24;  // outstanding requests; a trace that names more is damaged

Result<void> supported(const trace::Trace& trace) {
  for (const trace::Operation& operation : trace.operations) {
    if (operation.kind != trace::Kind::collective || !machine::algorithms_of(operation.pattern).empty())
      continue;
    const std::string call =
        operation.place == trace::kNowhere ? "a collective" : trace.places[operation.place].call;
    return Error{call + " has no algorithm to simulate it by", "",
                 "neighbourhood collectives become messages"};
  }
  for (const auto& set : trace.request_sets)
    if (!set.empty() && set.back() > kMostUnderWay)
      return Error{"a wait names a request that was begun " + std::to_string(set.back()) + " requests before",
                   "", "more than 16 million are not supported"};
  return {};
}

}  // namespace

Result<Outcome> simulate_with(const trace::Trace& trace, const Platform& platform,
                              const std::function<BarrierAlgorithm(std::uint32_t)>& barrier,
                              Profile* profile) {
  PARCAST_TRY(supported(trace));
  return Engine(trace, platform, barrier, profile).run();
}

Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust, Profile* profile) {
  if (trust == Trust::none) PARCAST_TRY(trace::check(trace));
  std::map<std::uint32_t, BarrierAlgorithm> faster;
  const bool choose =
      platform.parameters.barrier == BarrierAlgorithm::logarithmic && platform.parameters.barrier_by_messages;
  for (const trace::Operation& operation : trace.operations) {
    if (!choose || operation.kind != trace::Kind::collective ||
        operation.pattern != recording::Pattern::barrier || faster.count(operation.communicator) > 0)
      continue;
    PARCAST_ASSIGN(faster[operation.communicator], faster_barrier(trace, operation.communicator, platform));
  }
  const auto barrier = [&](std::uint32_t communicator) {
    const auto found = faster.find(communicator);
    return found == faster.end() ? BarrierAlgorithm::linear : found->second;
  };
  return simulate_with(trace, platform, barrier, profile);
}

}  // namespace parcast::simulate::extrap
