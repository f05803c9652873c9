// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/flows.h"

#include <algorithm>

namespace parcast::simulate::network {
namespace {

/// Returns when `left` has moved, up to the amount that moves in less than a picosecond.
Time later(Time time, Amount left, Bandwidth rate) {
  const Amount lasts = std::max<Amount>(1, left / static_cast<Amount>(rate));
  return lasts > static_cast<Amount>(trace::kLongest)
             ? trace::kLongest + 1
             : std::min(trace::kLongest + 1, time + static_cast<Time>(lasts));
}

}  // namespace

Flows::Flows(std::vector<Bandwidth> capacities, Settling settling)
    : links_(capacities.size()), settling_(settling) {
  for (std::size_t link = 0; link < capacities.size(); ++link) links_[link].capacity = capacities[link];
}

void Flows::start(Time time, std::uint64_t bytes, std::span<const LinkId> way, Bandwidth bound,
                  std::uint32_t subject) {
  time_ = time;
  unsettled_ = true;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Flow& flow = flows_[number];
  flow.left = amount_of(bytes);
  flow.since = time;
  flow.end = kNever;
  flow.rate = 0;
  flow.bound = bound;
  flow.subject = subject;
  flow.way.assign(way.begin(), way.end());
  flow.places.clear();
  for (const LinkId link : way) flow.bound = std::min(flow.bound, links_[link].capacity);
  for (std::uint32_t hop = 0; hop < way.size(); ++hop) {
    change(way[hop]);
    Link& link = links_[way[hop]];
    link.demand += static_cast<Amount>(flow.bound);
    link.carried += bytes;
    flow.places.push_back(static_cast<std::uint32_t>(link.members.size()));
    link.members.push_back({number, hop});
  }
  flow.alone = later(time, flow.left, flow.bound);
  begun_.push_back(number);
}

/// Records that a flow begins or ends on the link.
void Flows::change(LinkId number) {
  Link& link = links_[number];
  if (link.changed) return;
  link.changed = true;
  link.was_scarce = link.scarce();
  changed_.push_back(number);
}

void Flows::leave(std::uint32_t number) {
  Flow& flow = flows_[number];
  flow.end = kNever;
  for (std::size_t hop = 0; hop < flow.way.size(); ++hop) {
    change(flow.way[hop]);
    Link& link = links_[flow.way[hop]];
    link.demand -= static_cast<Amount>(flow.bound);
    const Member last = link.members.back();
    link.members[flow.places[hop]] = last;
    flows_[last.flow].places[last.hop] = flow.places[hop];
    link.members.pop_back();
  }
  free_.push_back(number);
}

/// Gives the flow this rate from now on. The flow ends when less is left than moves in a picosecond, but not
/// at the moment of a change.
void Flows::take(std::uint32_t number, Bandwidth rate) {
  Flow& flow = flows_[number];
  if (flow.rate == rate) return;
  flow.left -= static_cast<Amount>(flow.rate) * static_cast<Amount>(time_ - flow.since);
  flow.since = time_;
  flow.rate = rate;
  flow.end = later(time_, flow.left, rate);
  ends_.push_back({flow.end, number});
  std::push_heap(ends_.begin(), ends_.end());
}

void Flows::forget_old_ends() {
  if (ends_.size() <= 2 * count() + 64) return;
  ends_.clear();
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow)
    if (flows_[flow].end != kNever) ends_.push_back({flows_[flow].end, flow});
  std::make_heap(ends_.begin(), ends_.end());
}

Time Flows::next_end() {
  while (!ends_.empty() && flows_[ends_.front().flow].end != ends_.front().time) {
    std::pop_heap(ends_.begin(), ends_.end());
    ends_.pop_back();
  }
  return ends_.empty() ? kNever : ends_.front().time;
}

const std::vector<std::uint32_t>& Flows::end(Time time) {
  ended_.clear();
  time_ = time;
  unsettled_ = true;
  while (next_end() == time) {
    const std::uint32_t flow = ends_.front().flow;
    ended_.push_back(flows_[flow].subject);
    slowed_ = std::min(trace::kLongest, slowed_ + time - flows_[flow].alone);
    leave(flow);
  }
  std::sort(ended_.begin(), ended_.end());
  return ended_;
}

}  // namespace parcast::simulate::network
