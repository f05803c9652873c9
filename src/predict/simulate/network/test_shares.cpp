// SPDX-License-Identifier: Apache-2.0
// Quotations are from docs/models/network.md.
#include "predict/simulate/network/test_shares.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace parcast::simulate::network::reference {
namespace {

constexpr Bandwidth kOpen = -1;

/// "the least of its own bound (below) and the capacities of its links"
std::vector<Bandwidth> bounds(const std::vector<Bandwidth>& capacities, const std::vector<Flow>& flows) {
  std::vector<Bandwidth> out;
  for (const Flow& flow : flows) {
    out.push_back(flow.bound);
    for (const LinkId link : flow.way) out.back() = std::min(out.back(), capacities[link]);
  }
  return out;
}

bool crosses(const Flow& flow, LinkId link) {
  return std::find(flow.way.begin(), flow.way.end(), link) != flow.way.end();
}

}  // namespace

std::vector<Bandwidth> rates(const std::vector<Bandwidth>& capacities, const std::vector<Flow>& flows) {
  const std::vector<Bandwidth> bound = bounds(capacities, flows);
  std::vector<Bandwidth> out(flows.size(), kOpen);
  while (std::count(out.begin(), out.end(), kOpen) > 0) {
    Bandwidth least = std::numeric_limits<Bandwidth>::max();
    std::vector<Bandwidth> share(capacities.size(), least);
    for (LinkId link = 0; link < capacities.size(); ++link) {
      Amount demand = 0;
      Bandwidth left = capacities[link], open = 0;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        if (!crosses(flows[f], link)) continue;
        demand += static_cast<Amount>(bound[f]);
        if (out[f] == kOpen)
          ++open;
        else
          left -= out[f];
      }
      if (demand > static_cast<Amount>(capacities[link]) && open > 0)
        least = std::min(least, share[link] = left / open);
    }
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (out[f] == kOpen) least = std::min(least, bound[f]);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (out[f] != kOpen) continue;
      const auto& way = flows[f].way;
      if (bound[f] == least ||
          std::any_of(way.begin(), way.end(), [&](LinkId link) { return share[link] == least; }))
        out[f] = least;
    }
  }
  return out;
}

namespace {

bool less(const Fraction& a, const Fraction& b) {
  return static_cast<Wide>(a.over) * b.under < static_cast<Wide>(b.over) * a.under;
}

Fraction reduced(Wide over, Wide under) {
  Wide a = over < 0 ? -over : over, b = under;
  while (b != 0) std::swap(a %= b, b);
  return {static_cast<std::int64_t>(over / a), static_cast<std::int64_t>(under / a)};
}

Fraction minus(const Fraction& a, const Fraction& b) {
  const Wide over = static_cast<Wide>(a.over) * b.under - static_cast<Wide>(b.over) * a.under;
  return over == 0 ? Fraction{} : reduced(over, static_cast<Wide>(a.under) * b.under);
}

}  // namespace

std::vector<Fraction> exact_rates(const std::vector<Bandwidth>& capacities, const std::vector<Flow>& flows) {
  std::vector<Fraction> out(flows.size());
  std::set<std::size_t> open;
  for (std::size_t f = 0; f < flows.size(); ++f) open.insert(f);
  while (!open.empty()) {
    Fraction level{std::numeric_limits<std::int64_t>::max(), 1};
    std::set<std::size_t> met;
    const auto meet = [&](const Fraction& at, std::size_t f) {
      if (less(at, level)) level = at, met.clear();
      if (!less(level, at)) met.insert(f);
    };
    for (const std::size_t f : open) meet({flows[f].bound, 1}, f);
    for (LinkId link = 0; link < capacities.size(); ++link) {
      Fraction left{capacities[link], 1};
      std::vector<std::size_t> rising;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        if (!crosses(flows[f], link)) continue;
        if (open.contains(f))
          rising.push_back(f);
        else
          left = minus(left, out[f]);
      }
      for (const std::size_t f : rising)
        meet(left.over == 0 ? left
                            : reduced(left.over, static_cast<Wide>(left.under) *
                                                     static_cast<std::int64_t>(rising.size())),
             f);
    }
    for (const std::size_t f : met) {
      out[f] = level;
      open.erase(f);
    }
  }
  return out;
}

}  // namespace parcast::simulate::network::reference
