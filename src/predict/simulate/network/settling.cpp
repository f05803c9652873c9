// SPDX-License-Identifier: Apache-2.0
// Recomputes shares after starts and ends of flows: either of few flows, with a proof that all others keep
// theirs, or of all connected flows.
//
// Rates are those of the rounds (docs/models/network.md, "Shares") if and only if
//   - every flow has its bound as rate, or crosses a link whose level is its rate: the share of that link in
//     the round of that rate, in which all flows that had none yet got it;
//   - on every scarce link the flows, taken alone and bounded by what limits them elsewhere, get their rates.
// Both conditions concern one link at a time. So flows are added until both hold on every link that one of
// them crosses.
#include <algorithm>

#include "predict/simulate/network/flows.h"

namespace parcast::simulate::network {
namespace {

constexpr std::uint32_t kMostSkipped = 64;

}  // namespace

void Flows::settle() {
  unsettled_ = false;
  if (!settle_near()) settle_whole();
  take_rates();
  for (const LinkId link : changed_) links_[link].changed = false;
  changed_.clear();
  begun_.clear();
  forget_old_ends();
}

void Flows::reach(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.round == round_) return;
  flow.round = round_;
  reached_.push_back(number);
}

void Flows::touch(LinkId number) {
  Link& link = links_[number];
  if (link.round == round_) return;
  link.round = round_;
  touched_.push_back(number);
}

/// Starts with the flows that began, and with the links that are or were scarce where flows began or ended.
void Flows::begin_round() {
  ++round_;
  reached_.clear();
  touched_.clear();
  for (const std::uint32_t flow : begun_) reach(flow);
  for (const LinkId link : changed_)
    if (links_[link].was_scarce || links_[link].scarce()) touch(link);
}

/// Follows scarce links to all flows that a change of share can reach.
void Flows::settle_whole() {
  begin_round();
  for (std::size_t link = 0, flow = 0; link < touched_.size() || flow < reached_.size();) {
    for (; link < touched_.size(); ++link)
      for (const Member& member : links_[touched_[link]].members) reach(member.flow);
    touch_ways(flow);
    flow = reached_.size();
  }
  filling_.clear();
  add_links();
  add_reached();
  filling_.fill();
}

/// Adds the scarce links of the reached flows, from number `from` on.
void Flows::touch_ways(std::size_t from) {
  for (; from < reached_.size(); ++from)
    for (const LinkId link : flows_[reached_[from]].way)
      if (links_[link].scarce()) touch(link);
}

void Flows::add_links() {
  for (const LinkId number : touched_)
    if (Link& link = links_[number]; link.scarce()) link.number = filling_.add_link(link.capacity);
}

void Flows::add_reached() {
  for (const std::uint32_t number : reached_) {
    scarce_way_.clear();
    for (const LinkId link : flows_[number].way)
      if (links_[link].scarce()) scarce_way_.push_back(links_[link].number);
    filling_.add_flow(flows_[number].bound, scarce_way_);
  }
}

/// Adds the other flows on the touched links, each bounded by its rate.
void Flows::add_beside() {
  beside_.clear();
  for (const LinkId number : touched_) {
    const Link& link = links_[number];
    for (const Member& member : link.members) {
      if (flows_[member.flow].round == round_) continue;
      if (link.scarce()) filling_.add_flow(flows_[member.flow].rate, std::span(&link.number, 1));
      beside_.push_back({number, member.flow});
    }
  }
}

/// Returns whether the flow cannot be faster, because of its bound or a link.
bool Flows::is_held(const Flow& flow) const {
  if (flow.rate == flow.bound) return true;
  return std::any_of(flow.way.begin(), flow.way.end(), [&](LinkId number) {
    const Link& link = links_[number];
    return link.scarce() && (link.round == round_ ? filling_.level(link.number) : link.level) == flow.rate;
  });
}

/// Reaches flows, among those not reached yet, whose rate cannot stay as it is.
void Flows::reach_unsettled() {
  std::size_t at = reached_.size();
  for (const auto& [link, flow] : beside_) {
    const bool is_slower = links_[link].scarce() && filling_.rates()[at++] < flows_[flow].rate;
    if (flows_[flow].round != round_ && (is_slower || !is_held(flows_[flow]))) reach(flow);
  }
}

/// Adds the flows that the touched links limit, where flows began or ended; most of these change.
void Flows::reach_held() {
  for (const LinkId number : touched_) {
    const Link& link = links_[number];
    if (link.level == 0) continue;
    for (const Member& member : link.members)
      if (flows_[member.flow].rate == link.level) reach(member.flow);
  }
}

/// Returns false when the flows to examine are no longer few.
bool Flows::settle_near() {
  if (settling_ == Settling::whole || skipped_++ < skip_) return false;
  begin_round();
  reach_held();
  const std::size_t most = 64 + 4 * count();  // a few times the cost of all flows together
  for (std::size_t from = 0, looked_at = 0;;) {
    touch_ways(from);
    from = reached_.size();
    filling_.clear();
    add_links();
    add_reached();
    add_beside();
    looked_at += reached_.size() + beside_.size();
    if (looked_at > most) {
      skip_ = std::min(kMostSkipped, 2 * skip_ + 1);
      skipped_ = 0;
      return false;
    }
    filling_.fill();
    reach_unsettled();
    if (reached_.size() > from) continue;
    skip_ = 0;
    return true;
  }
}

void Flows::take_rates() {
  for (std::size_t at = 0; at < reached_.size(); ++at) take(reached_[at], filling_.rates()[at]);
  for (const LinkId number : touched_)
    links_[number].level = links_[number].scarce() ? filling_.level(links_[number].number) : 0;
  rates_computed_ += reached_.size();
}

}  // namespace parcast::simulate::network
