// SPDX-License-Identifier: Apache-2.0
#pragma once
// Isoefficiency (Grama, Gupta and Kumar 1993): the size of a problem that keeps the efficiency as processes
// are added. docs/models/explain.md.

#include <optional>
#include <utility>
#include <vector>

namespace parcast::explain {

/// The least size with an efficiency.
struct IsoefficientSize {
  double size = 0;
  bool is_bound = false;  // the smallest size known has the efficiency already: the least one may be smaller
};

/// Returns the size from which on the efficiency is at least `efficiency`, between given ones by the
/// logarithm of the size. `efficiencies`: (size, efficiency), sizes > 0 and ascending. Nothing if the largest
/// size has less.
std::optional<IsoefficientSize> isoefficient_size(const std::vector<std::pair<double, double>>& efficiencies,
                                                  double efficiency);

}  // namespace parcast::explain
