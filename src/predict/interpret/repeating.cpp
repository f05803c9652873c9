// SPDX-License-Identifier: Apache-2.0
// Iterations that repeat. All ranks stop at the beginning of each round of a loop. States are compared with
// times relative to the earliest clock. If two are equal, everything in between repeats as long as no loop
// ends. That many repetitions are skipped (docs/models/interpretation.md, "Folding"). Stops are compared with
// one earlier stop of the same loops, which is replaced after 1, 2, 4, 8, ... of them (Brent 1980).
#include <algorithm>
#include <limits>

#include "predict/interpret/interpreter.h"

namespace parcast::interpret {
namespace {

constexpr Time kNever = std::numeric_limits<Time>::min();

}  // namespace

/// Returns a time before which no message that the rank has yet to receive arrives, `base` at the latest.
Time Interpreter::earliest_arrival(const Rank& self, Time base) {
  for (const Request& request : self.requests)
    if (request.receives && request.done != kUnknown) base = std::min(base, request.arrived);
  for (const Pair& pair : self.inbox)
    for (const Message& message : pair.messages) base = std::min(base, message.departed);
  return base;
}

/// Returns everything on which the future depends.
Interpreter::Snapshot Interpreter::snapshot(bool with_times) const {
  Snapshot out;
  out.base = std::numeric_limits<Time>::max();
  for (const Rank& rank : ranks_)
    if (rank.mood != Mood::red) out.base = std::min(out.base, rank.clock);
  std::vector<std::int64_t>& state = out.state;
  const auto time = [&](Time value) {
    state.push_back(value == kUnknown ? kNever : with_times ? value - out.base : 0);
  };
  for (const Rank& self : ranks_) {
    const bool red = self.mood == Mood::red;
    state.push_back(static_cast<std::int64_t>(self.mood) << 32 | (red ? 0 : self.walker.position()));
    if (!red) {
      state.push_back(self.walker.times_left());
      for (std::uint32_t level = 0; level < self.walker.depth(); ++level)
        out.left.push_back(self.walker.rounds_left(level));
      time(self.clock);
      time(std::max(self.sends_from, self.clock));
      // Messages that arrive from now on find the interface free if it is free by then.
      const Time arrives = earliest_arrival(self, out.base);
      time(self.receives_from > arrives ? std::max(self.receives_since, arrives) : arrives),
          time(std::max(self.receives_from, arrives));
      if (self.mood != Mood::parked) time(self.entry);
      if (!share_.whole()) {
        const bool idle = self.clock > self.budget.busy_until;
        // when it works again, independent of its current budget
        const bool anew = idle && self.clock >= self.budget.period_ends;
        state.push_back(anew ? -1 : self.budget.left);
        if (!anew) state.push_back(idle), time(self.budget.period_ends);
      }
      state.push_back(self.computed);
      for (const std::uint64_t number : self.awaited) state.push_back(requests_ago(self.begun, number));
      state.push_back(self.step);
      if (self.mood == Mood::gathering) time(self.gathered);
    }
    state.push_back(static_cast<std::int64_t>(self.requests.size()));
    for (const Request& request : self.requests) {
      state.insert(state.end(), {requests_ago(self.begun, request.number),
                                 std::int64_t{request.operation} << 1 | request.receives});
      time(request.since), time(request.done), time(request.departed);
      if (request.receives && request.done != kUnknown) time(request.arrived), time(request.envelope);
      state.push_back(reinterpret_cast<std::intptr_t>(request.times));
    }
    for (const Pair& each : self.inbox) {
      const Rank& sender = at(each.sender);
      state.push_back(each.from);
      if (sender.mood != Mood::red) time(std::max(each.last_envelope, sender.clock));
      state.push_back(static_cast<std::int64_t>(each.messages.size()));
      for (const Message& message : each.messages) {
        state.insert(state.end(),
                     {message.tag, message.communicator, requests_ago(sender.begun, message.request),
                      reinterpret_cast<std::intptr_t>(message.times)});
        time(message.envelope), time(message.departed), time(message.left);
      }
      for (const Post& post : each.posts)
        state.insert(state.end(), {requests_ago(self.begun, post.request), post.tag, post.communicator});
    }
  }
  std::vector<std::uint64_t> open;
  for (const auto& [key, gathering] : gatherings_) open.push_back(key);
  std::ranges::sort(open);
  for (const std::uint64_t key : open) {
    const Gathering& gathering = gatherings_.at(key);
    state.insert(state.end(), {static_cast<std::int64_t>(key >> 40), std::int64_t{gathering.first_operation},
                               gathering.come, gathering.prefix});
    time(gathering.latest), time(gathering.root_at);
    for (std::size_t place = 0; place < gathering.there.size(); ++place) {
      state.push_back(gathering.there[place]);
      if (gathering.there[place] && !gathering.at.empty()) time(gathering.at[place]);
    }
  }
  return out;
}

/// Returns nothing when a rank advanced in more than one loop, or in no round.
std::optional<Interpreter::Rounds> Interpreter::rounds_between(const Snapshot& before,
                                                               const Snapshot& now) const {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  Rounds out{.done = std::vector<Rounds::Done>(ranks_.size()), .most = kAny};
  std::size_t place = 0;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].mood == Mood::red) continue;
    for (std::uint32_t level = 0; level < ranks_[r].walker.depth(); ++level, ++place) {
      if (before.left[place] == now.left[place]) continue;
      if (before.left[place] < now.left[place] || out.done[r].rounds > 0) return {};
      out.done[r] = {level, before.left[place] - now.left[place]};
      out.most = std::min<std::int64_t>(out.most, (now.left[place] - 1) / out.done[r].rounds);
    }
  }
  if (out.most < 1 || out.most == kAny) return {};
  return out;
}

/// Repeats rounds, and everything that grows by equal amounts in each repetition; the caller updates times.
void Interpreter::repeat(const Snapshot& before, const Snapshot& now, const Rounds& rounds,
                         std::int64_t repetitions) {
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    if (rounds.done[r].rounds > 0)
      ranks_[r].walker.skip_rounds(rounds.done[r].level,
                                   rounds.done[r].rounds * static_cast<std::uint32_t>(repetitions));
  for (std::size_t i = 0; i < out_.by_class.size(); ++i) {
    const Statistics& a = before.sums[i];
    Statistics& b = out_.by_class[i];
    b.compute += repetitions * (b.compute - a.compute), b.startup += repetitions * (b.startup - a.startup),
        b.transfer += repetitions * (b.transfer - a.transfer);
    b.wait += repetitions * (b.wait - a.wait), b.executions += repetitions * (b.executions - a.executions);
    b.messages += repetitions * (b.messages - a.messages), b.bytes += repetitions * (b.bytes - a.bytes);
  }
  for (auto& [units, edge] : edges_) {
    const auto known = before.edges.find(units);
    const Sent then = known == before.edges.end() ? Sent{} : known->second;
    edge.messages += repetitions * (edge.messages - then.messages),
        edge.bytes += repetitions * (edge.bytes - then.bytes);
  }
  out_.folded += static_cast<std::uint64_t>(repetitions) * (now.calls - before.calls);
}

/// Skips as many repetitions of everything since `before` as every rank has rounds for.
void Interpreter::skip(const Snapshot& before, const Snapshot& now) {
  const std::optional<Rounds> rounds = rounds_between(before, now);
  if (!rounds) return;
  const Time each = now.base - before.base;
  if (each > 0 && rounds->most > (trace::kLongest - now.base) / each)
    return fail({std::string(kTooLong), "", "ask for fewer iterations"});
  for_each_time([later = each * rounds->most](Time& time) { time += later; });
  repeat(before, now, *rounds, rounds->most);
}

/// Stops a rank before the first item of a round. The outermost loop around it whose number of rounds left
/// has changed is the one that begins a round.
void Interpreter::park(std::int32_t rank) {
  Rank& self = at(rank);
  self.rounds = self.walker.rounds();
  self.mood = Mood::parked, self.pending = true;
  self.begins = trace::kDeepest - 1;
  for (std::uint32_t level = self.walker.depth(); level-- > 0;) {
    const std::uint32_t left = self.walker.rounds_left(level);
    if (self.left[level] != left) self.begins = level, self.enters = self.left[level] < left;
    self.left[level] = left;
  }
  parked_.push_back(rank);
}

/// All chains are at the beginning of a round, or wait for one that is. States are compared where rounds of
/// loops of one level begin: loops inside these have ended then.
void Interpreter::unpark() {
  std::uint32_t level = trace::kDeepest - 1;
  for (const std::int32_t rank : parked_) level = std::min(level, at(rank).begins);
  for (std::uint32_t inner = level + 1; inner < references_.size(); ++inner) references_[inner] = {};
  Reference& reference = references_[level];
  const bool enters = std::ranges::any_of(
      parked_, [&](std::int32_t rank) { return at(rank).begins == level && at(rank).enters; });
  if (enters) reference = {};
  Snapshot now = snapshot();
  now.calls = out_.evaluated + out_.folded;
  if (reference.snapshot && reference.snapshot->state == now.state &&
      reference.snapshot->left.size() == now.left.size()) {
    skip(*reference.snapshot, now);
    reference = {};
  } else if (drift_ && drift(level, enters)) {
    reference = {};
  } else if (++reference.stops == reference.next) {
    reference.next *= 2;
    now.sums = out_.by_class, now.edges = edges_;
    reference.snapshot = std::make_unique<Snapshot>(std::move(now));
  }
  std::vector<std::int32_t> parked;
  parked.swap(parked_);
  std::ranges::sort(parked, std::greater<>());
  for (const std::int32_t rank : parked) let_go(rank);
}

}  // namespace parcast::interpret
