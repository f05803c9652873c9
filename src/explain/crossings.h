// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds where another of several variants becomes the fastest along a parameter. docs/models/selection.md,
// "Crossovers".

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace parcast::explain {

struct Crossing {
  std::size_t before = 0, after = 0;  // number of the fastest variant
  // the largest known value at which `before` is the fastest, and the smallest at which `after` is
  double last = 0, next = 0;
  // no value lies between them, or they are within 1e-6 of each other; false: there is no answer between them
  bool located = true;
};

/// Returns the fastest variant at a value; nothing: there is no answer there.
using FastestAt = std::function<std::optional<std::size_t>(double)>;

/// Bisects between neighbours of the ascending values whose fastest variants differ; `whole`: only at
/// integers. An even number of changes between two values is not detected.
std::vector<Crossing> crossings(std::span<const double> values, std::span<const std::size_t> fastest,
                                bool whole, const FastestAt& fastest_at);

}  // namespace parcast::explain
