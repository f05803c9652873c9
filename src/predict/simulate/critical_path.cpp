// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/critical_path.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace parcast::simulate {
namespace {

using recording::Pattern;

// Keys of sums. A part: 0, kind (3 bits), rank (28), site (32). A hand-over: 1, from (28), to (28).
constexpr std::uint64_t kRankBits = 28, kRankMask = (std::uint64_t{1} << kRankBits) - 1;
constexpr std::uint32_t kPlaceless = 0x80000000;

std::uint32_t number_of(const Site& site) {
  if (site.place != trace::kNowhere) return site.place;
  return kPlaceless | (site.none ? 1u << 16 : 0u) | static_cast<std::uint32_t>(site.kind) << 8 |
         static_cast<std::uint32_t>(site.pattern);
}
Site site_numbered(std::uint32_t number) {
  if ((number & kPlaceless) == 0) return {.place = number};
  return {.kind = static_cast<trace::Kind>(number >> 8 & 0xff),
          .pattern = static_cast<Pattern>(number & 0xff),
          .none = (number & 1u << 16) != 0};
}
std::uint64_t part_key(PathKind kind, std::int32_t rank, std::uint32_t site) {
  return static_cast<std::uint64_t>(kind) << 60 | static_cast<std::uint64_t>(rank) << 32 | site;
}
std::uint64_t hand_over_key(std::int32_t from, std::int32_t to) {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(from) << kRankBits |
         static_cast<std::uint64_t>(to);
}

bool has_interfaces(const Platform& platform) {
  return platform.network || std::any_of(platform.links.begin(), platform.links.end(), [](const Link& link) {
           return link.gap > 0 || link.gap_per_byte > 0 || link.rendezvous_gap_per_byte > 0;
         });
}
bool has_rendezvous(const trace::Trace& trace, const Platform& platform) {
  return std::any_of(platform.links.begin(), platform.links.end(),
                     [](const Link& link) { return link.eager_limit != kNotGiven; }) ||
         std::any_of(trace.operations.begin(), trace.operations.end(),
                     [](const trace::Operation& of) { return of.mode == trace::Mode::synchronous; });
}

}  // namespace

PathFinder::PathFinder(const trace::Trace& trace, const Platform& platform)
    : trace_(trace),
      interfaces_(has_interfaces(platform)),
      rendezvous_(has_rendezvous(trace, platform)),
      ranks_(static_cast<std::size_t>(trace.ranks)) {
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) of(rank).way.rank = rank;
}

PathFinder::Way PathFinder::share(const Way& way) {
  tree_.share(way.chain);
  return way;
}

void PathFinder::replace(Way& old, Way with) {
  tree_.drop(old.chain);
  old = with;
}

PathFinder::Way& PathFinder::at(std::vector<Way>& ways, std::uint32_t index) {
  if (index >= ways.size()) ways.resize(index + 1);
  return ways[index];
}

void PathFinder::go_on(Way& way, PathKind kind, std::uint32_t operation, Time to) {
  if (to <= way.at) return;
  const Site site = operation == 0xffffffff ? Site{.none = true} : site_of(trace_.operations[operation]);
  tree_.add(way.chain, part_key(kind, std::max(way.rank, 0), number_of(site)), to - way.at);
  way.at = to;
}

void PathFinder::do_own(Rank& self, std::int32_t rank, PathKind kind, std::uint32_t operation, Time to) {
  self.way.rank = rank;
  go_on(self.way, kind, operation, to);
  self.way.since = self.way.at;
}

/// Continues the rank's chain with the chain of its cause.
void PathFinder::hand_over(Rank& to, std::int32_t rank, Way way) {
  if (way.rank != rank && way.rank >= 0)
    tree_.add(way.chain, hand_over_key(way.rank, rank), way.at - way.since);
  way.rank = rank;
  way.since = way.at;
  replace(to.way, way);
}

/// The time since the last operation was computing.
void PathFinder::entered(std::int32_t rank, std::uint32_t operation, Time at) {
  of(rank).operation = operation;
  do_own(of(rank), rank, PathKind::compute, operation, at);
}

void PathFinder::ended(std::int32_t rank, Time at) {
  Rank& self = of(rank);
  do_own(self, rank, PathKind::compute, self.operation, at);
  const bool later = last_rank_ < 0 || at > last_.at || (at == last_.at && rank < last_rank_);
  if (later) last_rank_ = rank;
  replace(later ? last_ : self.way, later ? std::exchange(self.way, {}) : Way{});
}

void PathFinder::sent(const Sent& sent) {
  if (sent.message >= mails_.size()) mails_.resize(sent.message + 1);
  Rank& self = of(sent.sender);
  self.way.rank = sent.sender;
  Mail& to = mail(sent.message);
  to.sent = sent;
  to.answer = -1;
  if (sent.cost.eager) to.way = share(self.way);
  do_own(self, sent.sender, PathKind::overhead, sent.operation, sent.until);
  if (!sent.cost.eager) to.way = share(self.way);
}

void PathFinder::announced(std::uint32_t message, Time own, Time at) {
  Mail& of_it = mail(message);
  const Sent& sent = of_it.sent;
  const bool alone = sent.of_collective;  // messages of collectives have no order
  Way* before = alone ? nullptr
                      : &envelopes_[static_cast<std::uint64_t>(sent.sender) << 32 |
                                    static_cast<std::uint32_t>(sent.receiver)];
  Way way = at > own && before ? share(*before) : share(of_it.way);
  go_on(way, sent.cost.eager ? PathKind::transfer : PathKind::handshake, sent.operation, at);
  if (before) replace(*before, share(way));
  replace(of_it.envelope, way);
}

void PathFinder::posted(std::uint32_t request, std::int32_t rank, Time) {
  if (rendezvous_) replace(at(posted_, request), share(of(rank).way));
}

void PathFinder::answered(std::uint32_t message, std::uint32_t request, Time when, Time there) {
  Mail& of_it = mail(message);
  const Way& receive = at(posted_, request);
  // The cause is the latest of: the request arrived, its receive was posted, the receiver attends.
  const Way& cause = of_it.envelope.at == when ? of_it.envelope
                     : receive.at == when      ? receive
                                               : of(of_it.sent.receiver).way;
  Way way = share(cause);
  of_it.answer = there;
  go_on(way, PathKind::handshake, of_it.sent.operation, of_it.answer);
  replace(of_it.way, way);
}

void PathFinder::asked(std::uint32_t message, Time when) {
  Mail& of_it = mail(message);
  if (of_it.sent.cost.eager || when == of_it.answer) return;
  replace(of_it.way, share(of(of_it.sent.sender).way));  // the sender attends only now
}

void PathFinder::departed(std::uint32_t message, std::uint32_t request, Time asked, Time when, Time head) {
  Mail& of_it = mail(message);
  of_it.head = head;
  const Sent& sent = of_it.sent;
  if (sent.cost.eager) {
    go_on(of_it.way, PathKind::overhead, sent.operation, asked);
    of_it.way.since = of_it.way.at;
  }
  if (when > asked) {
    replace(of_it.way, share(of(sent.sender).sending));
    go_on(of_it.way, PathKind::queue, sent.operation, when);
  }
  if (interfaces_) replace(of(sent.sender).sending, share(of_it.way));
  if (request != kNobody) replace(at(completed_, request), share(of_it.way));
}

void PathFinder::served(std::uint32_t message, Time when, Time available) {
  Mail& of_it = mail(message);
  const Sent& sent = of_it.sent;
  if (when > of_it.head) {
    replace(of_it.way, share(of(sent.receiver).receiving));
    go_on(of_it.way, PathKind::queue, sent.operation, when);
  } else {
    go_on(of_it.way, PathKind::transfer, sent.operation, when);
  }
  if (interfaces_) replace(of(sent.receiver).receiving, share(of_it.way));
  if (available > when + sent.cost.body && available == of_it.envelope.at)
    replace(of_it.way, share(of_it.envelope));
  else
    go_on(of_it.way, PathKind::transfer, sent.operation, available);
}

void PathFinder::delayed(std::uint32_t message, Time available) {
  Mail& of_it = mail(message);
  go_on(of_it.way, PathKind::transfer, of_it.sent.operation, available);
}

void PathFinder::taken(const Taken& taken) {
  Mail& of_it = mail(taken.message);
  Rank& self = of(taken.receiver);
  if (taken.available > self.way.at) hand_over(self, taken.receiver, std::exchange(of_it.way, {}));
  replace(of_it.way, {});
  replace(of_it.envelope, {});
  do_own(self, taken.receiver, PathKind::overhead, taken.operation, taken.to);
}

void PathFinder::found(std::int32_t rank, std::uint32_t message, Time when) {
  if (when > of(rank).way.at) hand_over(of(rank), rank, share(mail(message).envelope));
}

void PathFinder::awaited_send(std::int32_t rank, std::uint32_t request, Time until) {
  Way way = share(at(completed_, request));
  go_on(way, PathKind::transfer, of(rank).operation, until);
  hand_over(of(rank), rank, way);
}

std::int32_t PathFinder::members(const trace::Operation& operation) const {
  return operation.communicator == 0
             ? trace_.ranks
             : static_cast<std::int32_t>(trace_.communicators[operation.communicator].members.size());
}

/// The same rule as in Gathering::released.
bool PathFinder::awaited_by_others(const trace::Operation& operation, std::int32_t place) const {
  const bool from_root = operation.pattern == Pattern::broadcast || operation.pattern == Pattern::scatter;
  return !from_root || place == operation.root;
}

void PathFinder::came(std::int32_t rank, std::uint64_t call, std::int32_t place, Time when) {
  const trace::Operation& operation = trace_.operations[of(rank).operation];
  Meeting& meeting = meetings_[call];
  if (!awaited_by_others(operation, place)) return;
  // In a scan each member may be the latest for some others; otherwise keep the latest of all, the first by
  // place of several.
  const bool one = operation.pattern != Pattern::scan;
  if (one && !meeting.ways.empty()) {
    const auto& [other, way] = meeting.ways.front();
    if (std::tuple(way.at, -other) > std::tuple(when, -place)) return;
    replace(meeting.ways.front().second, {});
    meeting.ways.clear();
  }
  meeting.ways.emplace_back(place, share(of(rank).way));
}

void PathFinder::released(std::int32_t rank, std::uint64_t call, Time when, Time took) {
  Rank& self = of(rank);
  Meeting& meeting = meetings_[call];
  if (when > self.way.at) {
    const Way* cause = nullptr;
    std::int32_t first = 0;
    for (const auto& [place, way] : meeting.ways)
      if (way.at == when && (!cause || place < first)) cause = &way, first = place;
    if (cause) hand_over(self, rank, share(*cause));
  }
  do_own(self, rank, PathKind::collective, self.operation, when + took);
  if (++meeting.left < members(trace_.operations[self.operation])) return;
  for (auto& [place, way] : meeting.ways) replace(way, {});
  meetings_.erase(call);
}

CriticalPath PathFinder::path() const {
  CriticalPath path{.rank = last_rank_};
  std::map<std::tuple<PathKind, std::uint32_t>, PathPart> parts;
  std::map<std::int32_t, Time> ranks;
  for (const PathTree::Sum& sum : tree_.sums(last_.chain)) {
    if (sum.key >> 63) {
      path.hand_overs.push_back({static_cast<std::int32_t>(sum.key >> kRankBits & kRankMask),
                                 static_cast<std::int32_t>(sum.key & kRankMask), sum.count, sum.time});
      continue;
    }
    const auto kind = static_cast<PathKind>(sum.key >> 60);
    const auto site = static_cast<std::uint32_t>(sum.key);
    PathPart& part = parts[{kind, site}];
    part.kind = kind;
    part.site = site_numbered(site);
    part.time += sum.time;
    part.stretches += sum.count;
    path.time += sum.time;
    if (kind == PathKind::compute || kind == PathKind::overhead)
      ranks[static_cast<std::int32_t>(sum.key >> 32 & kRankMask)] += sum.time;
  }
  for (const auto& [key, part] : parts) path.parts.push_back(part);
  for (const auto& [rank, time] : ranks) path.ranks.push_back({rank, time});
  std::stable_sort(path.parts.begin(), path.parts.end(),
                   [](const PathPart& a, const PathPart& b) { return a.time > b.time; });
  std::stable_sort(path.ranks.begin(), path.ranks.end(),
                   [](const PathRank& a, const PathRank& b) { return a.time > b.time; });
  std::stable_sort(path.hand_overs.begin(), path.hand_overs.end(),
                   [](const HandOver& a, const HandOver& b) { return a.times > b.times; });
  return path;
}

}  // namespace parcast::simulate
