// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small steps that the engine's general path (engine.cpp) and its plain path (plain.cpp) share; nothing else
// includes this file.

#include <algorithm>

#include "predict/simulate/engine.h"

namespace parcast::simulate {

inline Time scaled(Time time, Rate ratio) {
  if (ratio == kOne) return time;
  const Wide exact = at_rate(static_cast<std::uint64_t>(time), ratio);
  return exact > trace::kLongest ? trace::kLongest + 1 : static_cast<Time>(exact);
}

/// Prefetches what a rank's items touch; the rank continues soon.
inline void Engine::prefetch(std::int32_t rank) const {
  const char* self = reinterpret_cast<const char*>(&ranks_[static_cast<std::size_t>(rank)]);
  for (int line = 0; line < 3; ++line) __builtin_prefetch(self + 64 * line);
}

/// Prefetches what a rank refers to; it continues next and is itself in the cache.
inline void Engine::prefetch_lists(const Rank& self) const {
  __builtin_prefetch(self.arrivals.begin());
  __builtin_prefetch(self.awaited.begin());
}

/// Schedules the rank to continue at `time`.
inline void Engine::resume(std::int32_t rank, Time time) {
  if (slices_)
    slices_->push(rank, time);
  else
    agenda_.resume(rank, time);
}

/// Lets events of others at this time come first.
inline void Engine::resume_at_clock(Rank& self, std::int32_t rank) {
  self.mood = Mood::due;
  resume(rank, self.clock);
}

/// Returns the number of rounds after which a rank that runs ahead lets others catch up. Only then can all
/// ranks together become periodic.
inline std::uint64_t Engine::enough_rounds(const Rank& self) const {
  constexpr std::uint64_t kRoundsAtOnce = 16;
  return skips_ ? self.walker.rounds() + kRoundsAtOnce : UINT64_MAX;
}

inline Time Engine::time_of_computing(std::int32_t rank, Time given) {
  const Time time = scaled(given, platform_.compute_ratio);
  return noise_.empty() ? time : noise_[static_cast<std::size_t>(rank)].next(time);
}

/// Advances the rank's clock by work that takes the time `given` on a complete core. Returns the elapsed
/// time.
inline Time Engine::work(Rank& self, std::int32_t rank, Time given) {
  const Time began = self.clock;
  self.clock =
      within(budgets_.empty() ? began + given
                              : budgets_[static_cast<std::size_t>(rank)].work(platform_.share, began, given));
  return self.clock - began;
}

/// Spends a send's own time. Returns when the message requests the interface.
inline Time Engine::work_before_asking(Rank& self, std::int32_t rank, const MessageCost& of) {
  const Time before = work(self, rank, of.asks_after), asked = self.clock;
  const Time after = work(self, rank, of.sender - of.asks_after);
  self.communication = within(self.communication + before + after);
  return asked;
}

/// Returns the channel of an operation's messages at their receiver. Returns null when the receiver has no
/// such receive, or matches when envelopes arrive.
inline Channel* Engine::channel_of(const Rank& receiver, std::int32_t target, const Action& action) {
  if (receiver.in_order) return nullptr;
  const std::uint32_t number = action.channel != ChannelNumbers::kSeveral
                                   ? action.channel
                                   : numbers_(target, receiver.sequence, action.signature);
  return number == ChannelNumbers::kMissing ? nullptr : &channels_[number];
}

/// Returns the channel from which an operation receives.
inline Channel& Engine::own_channel(const Rank& self, std::int32_t rank, const Action& action) {
  return channels_[action.channel != ChannelNumbers::kSeveral
                       ? action.channel
                       : numbers_(rank, self.sequence, action.signature)];
}

/// Numbers a request for later waits, and forgets the request that no wait can name any more.
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

/// Collects the requests of a set that are not complete yet. Returns false when the set names one that was
/// never begun.
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

/// Returns a time before which no action of other ranks makes a head arrive.
inline Time Engine::horizon() const {
  return (slices_ ? slices_->start() : next_event()) + compiled_.lookahead;
}

/// Inserts a receive of the current wait by the time at which it can be taken; equal times stay in order of
/// posting.
inline void Engine::put_in_order(const Arrived& next) {
  std::size_t at = taken_.size();
  taken_.push_back(next);
  if (at >= kFewTaken) return;
  for (; at > 0 && taken_[at - 1].available > next.available; --at) taken_[at] = taken_[at - 1];
  taken_[at] = next;
}

inline void Engine::take(Rank& self, const Arrived& next) {
  if (!budgets_.empty()) [[unlikely]]
    return take_with_share(self, next);
  self.clock = within(std::max(self.clock, next.available) + next.cost->receiver);
  self.communication = within(self.communication + next.cost->receiver);
}

inline void Engine::take_in_order(Rank& self) {
  if (taken_.size() > kFewTaken)
    std::stable_sort(taken_.begin(), taken_.end(),
                     [](const Arrived& a, const Arrived& b) { return a.available < b.available; });
  for (const Arrived& each : taken_) take(self, each);
}

}  // namespace parcast::simulate
