// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/segment_deviations.h"

namespace parcast::predict {

RelativeDeviation SegmentDeviations::at(std::size_t segment, std::span<const double> arguments,
                                        const Unvaried& unvaried) const {
  constexpr std::size_t kMost = 1024;  // of a segment
  const program::Cost& cost = model_.segments[segment].cost;
  std::vector<double> key(arguments.begin(), arguments.end());
  if (cost.unsure > 0) key.insert(key.end(), {unvaried.low, unvaried.high});
  OfSegment& of = of_segment_[segment];
  {
    const std::lock_guard lock(of.guard);
    if (const auto known = of.known.find(key); known != of.known.end()) return known->second;
  }
  const RelativeDeviation out = cost_deviation(cost, arguments, level_, unvaried, quantiles_);
  const std::lock_guard lock(of.guard);
  if (of.known.size() < kMost) of.known.try_emplace(std::move(key), out);
  return out;
}

}  // namespace parcast::predict
