// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small steps of the engine that its general way through words (engine.cpp) and its plain one (plain.cpp) share; nothing else includes it.

#include <algorithm>

#include "predict/simulate/engine.h"

namespace parcast::simulate {

/// Beyond the longest time all is the same: the run is refused, and nothing overflows until then.
inline Time within(Time time) { return std::min(time, trace::kLongest + 1); }

inline Time scaled(Time time, Rate ratio) {
  if (ratio == kOne) return time;
  const Wide exact = at_rate(static_cast<std::uint64_t>(time), ratio);
  return exact > trace::kLongest ? trace::kLongest + 1 : static_cast<Time>(exact);
}

/// A rank that soon goes on: what its words touch.
inline void Engine::prefetch(std::int32_t rank) const {
  const char* self = reinterpret_cast<const char*>(&ranks_[static_cast<std::size_t>(rank)]);
  for (int line = 0; line < 3; ++line) __builtin_prefetch(self + 64 * line);
}

/// One that goes on next, itself there already: what it refers to.
inline void Engine::prefetch_lists(const Rank& self) const {
  __builtin_prefetch(self.arrivals.begin());
  __builtin_prefetch(self.awaited.begin());
}

/// It goes on at that time.
inline void Engine::resume(std::int32_t rank, Time time) {
  if (slices_) slices_->push(rank, time);
  else agenda_.resume(rank, time);
}

/// Others come first.
inline void Engine::resume_at_clock(Rank& self, std::int32_t rank) {
  self.mood = Mood::due;
  resume(rank, self.clock);
}

/// A rank that runs ahead of others lets them catch up after so many rounds of loops: that all together may become periodic.
inline std::uint64_t Engine::enough_rounds(const Rank& self) const {
  constexpr std::uint64_t kRoundsAtOnce = 16;
  return skips_ ? self.walker.rounds() + kRoundsAtOnce : UINT64_MAX;
}

inline Time Engine::time_of_computing(std::int32_t rank, Time told) {
  const Time time = scaled(told, platform_.compute_ratio);
  return noise_.empty() ? time : noise_[static_cast<std::size_t>(rank)].next(time);
}

/// The rank's processor does what takes so long of one that always works. What it took.
inline Time Engine::work(Rank& self, std::int32_t rank, Time told) {
  const Time began = self.clock;
  self.clock = within(budgets_.empty() ? began + told : budgets_[static_cast<std::size_t>(rank)].work(platform_.share, began, told));
  return self.clock - began;
}

/// A send's own time. When it asks for the interface.
inline Time Engine::work_before_asking(Rank& self, std::int32_t rank, const MessageCost& of) {
  const Time before = work(self, rank, of.asks_after), asked = self.clock;
  const Time after = work(self, rank, of.sender - of.asks_after);
  self.communication = within(self.communication + before + after);
  return asked;
}

/// Where messages of an operation go in their receiver; none where it receives no such, or as envelopes arrive.
inline Channel* Engine::channel_of(const Rank& receiver, std::int32_t target, const Action& action) {
  if (receiver.in_order) return nullptr;
  const std::uint32_t number = action.channel != ChannelNumbers::kSeveral ? action.channel : numbers_(target, receiver.sequence, action.signature);
  return number == ChannelNumbers::kMissing ? nullptr : &channels_[number];
}

/// Where messages come that an operation receives.
inline Channel& Engine::own_channel(const Rank& self, std::int32_t rank, const Action& action) {
  return channels_[action.channel != ChannelNumbers::kSeveral ? action.channel : numbers_(rank, self.sequence, action.signature)];
}

/// Numbers a request for the waits to come; one that none of them can name any more is forgotten.
inline void Engine::remember(Rank& self, std::uint32_t request) {
  const std::uint32_t number = self.begun++;
  if (self.requests.empty()) {
    if (request != kNone) forget(request);
    return;
  }
  std::uint32_t& place = self.requests[number & (self.requests.size() - 1)];
  if (place != kNone) forget(place);
  place = request;
  if (request != kNone) requests_[request].number = number;
}

/// The requests of a set that are not complete yet are awaited; false where it names one that was never begun.
inline bool Engine::choose_awaited(Rank& self, std::int32_t rank, std::uint32_t set) {
  const std::vector<std::uint32_t>& distances = trace_.request_sets[set];
  self.awaited.clear();
  if (!distances.empty() && distances.back() > self.begun) return never_begun(self, rank), false;
  for (auto distance = distances.rbegin(); distance != distances.rend(); ++distance) {
    const std::uint32_t request = self.requests[(self.begun - *distance) & (self.requests.size() - 1)];
    if (request != kNone) self.awaited.push_back(request);
  }
  return true;
}

/// Nothing that others may still do makes a head arrive before this.
inline Time Engine::horizon() const { return (slices_ ? slices_->start() : next_event()) + compiled_.lookahead; }

/// Of the wait at hand: receives in the order in which they can be taken, of several at one time in that of posting.
inline void Engine::put_in_order(const Arrived& next) {
  std::size_t at = taken_.size();
  taken_.push_back(next);
  if (at >= kFewTaken) return;
  for (; at > 0 && taken_[at - 1].available > next.available; --at) taken_[at] = taken_[at - 1];
  taken_[at] = next;
}

inline void Engine::take(Rank& self, const Arrived& next) {
  if (!budgets_.empty()) [[unlikely]] return take_with_share(self, next);
  self.clock = within(std::max(self.clock, next.available) + next.cost->receiver);
  self.communication = within(self.communication + next.cost->receiver);
}

inline void Engine::take_in_order(Rank& self) {
  if (taken_.size() > kFewTaken)
    std::stable_sort(taken_.begin(), taken_.end(), [](const Arrived& a, const Arrived& b) { return a.available < b.available; });
  for (const Arrived& each : taken_) take(self, each);
}

}  // namespace parcast::simulate
