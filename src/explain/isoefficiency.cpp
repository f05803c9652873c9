// SPDX-License-Identifier: Apache-2.0
#include "explain/isoefficiency.h"

#include <cmath>

namespace parcast::explain {

std::optional<IsoefficientSize> isoefficient_size(const std::vector<std::pair<double, double>>& efficiencies,
                                                  double efficiency) {
  if (efficiencies.empty() || efficiencies.back().second < efficiency) return std::nullopt;
  std::size_t at = efficiencies.size() - 1;  // from here on the efficiency is enough
  while (at > 0 && efficiencies[at - 1].second >= efficiency) --at;
  if (at == 0) return IsoefficientSize{efficiencies.front().first, true};
  const auto& [low, below] = efficiencies[at - 1];
  const auto& [high, above] = efficiencies[at];
  const double part = (efficiency - below) / (above - below);
  return IsoefficientSize{low * std::pow(high / low, part), false};
}

}  // namespace parcast::explain
