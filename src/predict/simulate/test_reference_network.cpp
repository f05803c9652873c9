// SPDX-License-Identifier: Apache-2.0
// Quotations are from docs/models/network.md.
#include "predict/simulate/test_reference_network.h"

#include <algorithm>

#include "predict/simulate/network/test_shares.h"

namespace parcast::simulate::reference {

Fluid::Passage Fluid::passage(std::int32_t source, std::int32_t destination, std::uint64_t bytes) const {
  std::vector<network::LinkId> way;
  platform_.network->way(node(source), node(destination), way);
  return {platform_.network->further(node(source), node(destination)), bytes > 0 && !way.empty()};
}

/// "bounded by 1/G of its machine link ([...]; rounded up to a rate; no bound where G = 0)"
void Fluid::start(std::int32_t source, std::int32_t destination, std::uint64_t bytes, Rate gap_per_byte,
                  void* subject) {
  Flow flow;
  platform_.network->way(node(source), node(destination), flow.way);
  flow.bound = network::kUnbounded;
  if (gap_per_byte > 0) {
    const network::Amount over = network::Amount{1'000'000'000'000u} << (16 + 32),
                          under = static_cast<network::Amount>(gap_per_byte);
    flow.bound = static_cast<network::Bandwidth>(
        std::min<network::Amount>(over / under + (over % under != 0), network::kUnbounded));
  }
  flow.left = (network::Amount{bytes} * 1'000'000'000'000u) << 16;  // "A = bytes x 10^12 x 2^16"
  flow.subject = subject;
  flows_.push_back(flow);
  changed_ = true;
}

std::vector<void*> Fluid::end(Time now) {
  std::vector<void*> out;
  for (const Flow& flow : flows_)
    if (flow.end == now) out.push_back(flow.subject);
  changed_ = changed_ || !out.empty();
  if (out.empty()) return out;
  // Subtract what moved until now from the flows that continue.
  for (Flow& flow : flows_)
    flow.left -= std::min(
        flow.left, static_cast<network::Amount>(flow.rate) * static_cast<network::Amount>(now - resolved_));
  resolved_ = now;
  std::erase_if(flows_, [&](const Flow& flow) { return flow.end == now; });
  return out;
}

/// "A flow of rate r that has R left when its rate changes (or it begins) ends max(1, floor(R / r)) ps
/// later".
void Fluid::settle(Time now) {
  if (!changed_) return;
  changed_ = false;
  for (Flow& flow : flows_)
    flow.left -= static_cast<network::Amount>(flow.rate) * static_cast<network::Amount>(now - resolved_);
  resolved_ = now;
  std::vector<network::Bandwidth> capacities;
  std::vector<network::LinkId> used;
  std::vector<network::reference::Flow> shared;
  for (Flow& flow : flows_) {
    network::reference::Flow one{flow.bound, {}};
    for (const network::LinkId link : flow.way) {
      const auto at = std::find(used.begin(), used.end(), link);
      one.way.push_back(static_cast<network::LinkId>(at - used.begin()));
      if (at != used.end()) continue;
      used.push_back(link);
      capacities.push_back(platform_.network->capacities()[link]);
    }
    shared.push_back(one);
  }
  const auto rates = network::reference::rates(capacities, shared);
  for (std::size_t at = 0; at < flows_.size(); ++at) {
    Flow& flow = flows_[at];
    if (rates[at] == flow.rate) continue;
    flow.rate = rates[at];
    const network::Amount lasts =
        std::max<network::Amount>(1, flow.left / static_cast<network::Amount>(flow.rate));
    flow.end = now + static_cast<Time>(
                         std::min<network::Amount>(lasts, static_cast<network::Amount>(trace::kLongest)));
  }
}

Time Fluid::next() const {
  Time out = network::kNever;
  for (const Flow& flow : flows_) out = std::min(out, flow.end);
  return out;
}

}  // namespace parcast::simulate::reference
