// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where along a parameter another of several variants becomes the fastest. docs/models/selection.md, "Crossovers".

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace parcast::explain {

struct Crossing {
  std::size_t before = 0, after = 0;  // which is the first, by its number
  double last = 0, next = 0;          // the largest value known at which `before` is the first, and the least at which `after` is
  bool located = true;                // no value lies between them, or they are within 1e-6 of each other; false: there is no answer between them
};

/// Which is the fastest at a value; nothing: there is no answer there.
using FastestAt = std::function<std::optional<std::size_t>(double)>;

/// Between neighbours of the ascending values whose fastest differ, by halving; `whole`: at whole numbers alone. Where the order changes an
/// even number of times between two values it is not seen.
std::vector<Crossing> crossings(std::span<const double> values, std::span<const std::size_t> fastest, bool whole, const FastestAt& fastest_at);

}  // namespace parcast::explain
