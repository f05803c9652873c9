// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/shares.h"

#include <algorithm>
#include <functional>

namespace parcast::simulate::network {

void Filling::clear() {
  links_.clear();
  flows_.clear();
  ways_.clear();
  bounds_.clear();
}

std::uint32_t Filling::add_link(Bandwidth capacity) {
  links_.push_back({.left = capacity});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

std::uint32_t Filling::add_flow(Bandwidth bound, std::span<const std::uint32_t> links) {
  const auto number = static_cast<std::uint32_t>(flows_.size());
  flows_.push_back({static_cast<std::uint32_t>(ways_.size()), static_cast<std::uint32_t>(links.size())});
  for (const std::uint32_t link : links) {
    ways_.push_back(link);
    ++links_[link].count;
  }
  bounds_.emplace_back(bound, number);
  return number;
}

void Filling::list_members() {
  std::uint32_t begin = 0;
  for (Link& link : links_) {
    link.first = begin;
    begin += link.count;
    link.open = 0;
  }
  members_.resize(begin);
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow)
    for (std::uint32_t at = 0; at < flows_[flow].count; ++at) {
      Link& link = links_[ways_[flows_[flow].first + at]];
      members_[link.first + static_cast<std::uint32_t>(link.open++)] = flow;
    }
}

/// Collects the links whose share is `share` now. Shares in the heap only grow as rates are settled, so an
/// outdated entry is updated and pushed again.
void Filling::collect(Bandwidth share) {
  full_.clear();
  while (!shares_.empty() && shares_.front().first <= share) {
    std::pop_heap(shares_.begin(), shares_.end(), std::greater<>());
    auto& [before, number] = shares_.back();
    const Link& link = links_[number];
    if (link.open == 0) {
      shares_.pop_back();
    } else if (const Bandwidth now = link.share(); now <= share) {
      full_.push_back(number);
      shares_.pop_back();
    } else {
      before = now;
      std::push_heap(shares_.begin(), shares_.end(), std::greater<>());
    }
  }
}

void Filling::settle(std::uint32_t number, Bandwidth rate) {
  Flow& flow = flows_[number];
  if (flow.resolved) return;
  flow.resolved = true;
  rates_[number] = rate;
  for (std::uint32_t at = 0; at < flow.count; ++at) {
    Link& link = links_[ways_[flow.first + at]];
    link.left -= rate;
    --link.open;
  }
}

const std::vector<Bandwidth>& Filling::fill() {
  list_members();
  rates_.assign(flows_.size(), 0);
  std::sort(bounds_.begin(), bounds_.end());
  shares_.clear();
  for (std::uint32_t link = 0; link < links_.size(); ++link)
    if (links_[link].open > 0) shares_.emplace_back(links_[link].share(), link);
  std::make_heap(shares_.begin(), shares_.end(), std::greater<>());
  auto bound = bounds_.begin();
  for (;;) {
    while (bound != bounds_.end() && flows_[bound->second].resolved) ++bound;
    if (bound == bounds_.end()) return rates_;
    // The smallest share, updated, or the smallest bound.
    Bandwidth share = bound->first;
    do collect(shares_.empty() ? share : std::min(share, shares_.front().first));
    while (full_.empty() && !shares_.empty() && shares_.front().first <= share);
    if (!full_.empty()) share = std::min(share, links_[full_.front()].share());
    for (; bound != bounds_.end() && bound->first == share; ++bound) settle(bound->second, share);
    for (const std::uint32_t link : full_) links_[link].level = share;
    for (const std::uint32_t link : full_)
      for (std::uint32_t at = 0; at < links_[link].count; ++at)
        settle(members_[links_[link].first + at], share);
  }
}

}  // namespace parcast::simulate::network
