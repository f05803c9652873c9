// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plainest way beyond the data: the growth between the two largest points goes on.

#include <optional>
#include <span>
#include <vector>

#include "fit/observations.h"

namespace parcast::fit {

/// Which points say how it goes on, and how far.
struct Continuation {
  std::size_t last = 0, before = 0;    // rows
  double between = 0, beyond = 0;      // of the argument, in logarithms: from the one before to the last, from the last to the point

  /// The logarithm of the value there.
  double of(std::span<const double> values) const;
};

/// By the straight line in logarithms through the largest known point along the one argument in which `point` lies beyond the data,
/// and the next at least half a doubling below. Nothing where `point` lies beyond in none or several, or where fewer than two
/// known points share its other coordinates.
std::optional<Continuation> continuation(const Points& points, std::span<const double> point);
/// The same along `argument`, of the rows that share the point's other coordinates.
std::optional<Continuation> continuation(const Points& points, std::span<const std::size_t> rows,
                                         std::size_t argument, std::span<const double> point);

/// The argument in which the point lies above the largest coordinates; nothing where there is none, or more
/// than one.
std::optional<std::size_t> argument_beyond(std::span<const double> largest, std::span<const double> point);

/// The logarithm of the value at `point`.
std::optional<double> continued(const Observed& observed, std::span<const double> point);

}  // namespace parcast::fit
