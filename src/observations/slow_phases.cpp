// SPDX-License-Identifier: Apache-2.0
#include "observations/slow_phases.h"

#include <algorithm>
#include <cmath>

namespace parcast::program {
namespace {

constexpr std::size_t kFewestStretches = 16;
// slow phases longer than an eighth of the run look like lasting differences
constexpr std::size_t kBatches = 8;

}  // namespace

SlowPhases slow_phases_between(std::span<const TimeSummary* const> ranks) {
  SlowPhases out;
  out.squared_errors.assign(ranks.size(), 0);
  if (ranks.size() < 2) return out;
  const std::size_t stretches = ranks[0]->course.size();
  const bool comparable = std::all_of(ranks.begin(), ranks.end(), [&](const TimeSummary* r) {
    return r->count == ranks[0]->count && r->course.size() == stretches;
  });
  if (!comparable || stretches < kFewestStretches) return out;
  const auto count = static_cast<double>(ranks.size());
  const auto per_stretch = static_cast<double>(ranks[0]->count) / static_cast<double>(stretches);

  // The part common to all ranks is the program's; it is the weight of each stretch.
  std::vector<double> common(stretches, 0);
  double sum = 0, squared_weights = 0;
  for (std::size_t s = 0; s < stretches; ++s) {
    for (const TimeSummary* rank : ranks) common[s] += static_cast<double>(rank->course[s]) / count;
    sum += common[s];
  }
  if (!(sum > 0)) return out;
  double squares = 0, local = 0, differences = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const TimeSummary& rank = *ranks[r];
    double lasting = 0;
    for (std::size_t s = 0; s < stretches; ++s)
      lasting += (static_cast<double>(rank.course[s]) - common[s]) / sum;
    std::vector<double> batches(kBatches, 0);
    for (std::size_t s = 0; s < stretches; ++s) {
      if (!(common[s] > 0)) continue;
      const double deviation = static_cast<double>(rank.course[s]) / common[s] - 1 - lasting;
      const double weight = common[s] / sum;
      differences += std::pow(static_cast<double>(rank.course[s]) - common[s] * (1 + lasting), 2);
      squares += weight * deviation * deviation;
      batches[s * kBatches / stretches] += weight * deviation;
    }
    for (std::size_t b = 0; b < kBatches; ++b)
      out.squared_errors[r] += batches[b] * batches[b] * kBatches / (kBatches - 1.0);
    local += rank.noise * rank.noise / per_stretch / count;
  }
  const double mean = sum / static_cast<double>(stretches);
  const double of_executions =
      per_stretch * differences / (static_cast<double>(stretches) * (count - 1)) / (mean * mean);
  out.between_executions = std::sqrt(of_executions);
  local = std::min(local, of_executions / per_stretch);
  for (std::size_t s = 0; s < stretches; ++s) squared_weights += common[s] / sum * common[s] / sum;
  const double variance = squares / (count - 1) / std::max(1 - squared_weights, 0.5);
  out.noise = std::sqrt(std::max(0.0, variance - local));
  return out;
}

}  // namespace parcast::program
