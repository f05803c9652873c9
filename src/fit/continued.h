// SPDX-License-Identifier: Apache-2.0
#pragma once
// The simplest extrapolation: continues the growth between the two largest points.

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "fit/laws.h"
#include "fit/observations.h"

namespace parcast::fit {

/// The points that define the growth, and the distance to extrapolate.
struct Continuation {
  std::size_t last = 0, before = 0;         // rows
  std::optional<std::size_t> earlier = {};  // the row at least half a doubling below `before`
  // of the argument, in logarithms: from the one before to the last, from the last to the point, and from the
  // earlier one to the one before
  double between = 0, beyond = 0, earlier_step = 0;
  /// Few values of processes: the exponent is within those of their laws, and where it differs from the
  /// exponent before, up to half of the difference counts as noise.
  bool few = false;

  /// Returns the exponent of the power law through the two points.
  double slope(std::span<const double> values) const;
  /// Returns the exponent to extrapolate with.
  double growth(std::span<const double> values) const;
  /// Returns the logarithm of the value there.
  double of(std::span<const double> values) const;
};

/// Extrapolates by the straight line in logarithms along the one argument in which `point` lies beyond the
/// data. The line goes through the largest known point and the next one at least half a doubling below it.
/// Returns nothing if `point` lies beyond the data in no argument or in several, or if fewer than two known
/// points share its other coordinates.
std::optional<Continuation> continuation(const Points& points, std::span<const double> point);
/// Does the same along `argument`, with the rows that share the point's other coordinates.
std::optional<Continuation> continuation(const Points& points, std::span<const std::size_t> rows,
                                         std::size_t argument, std::span<const double> point);

/// Returns the argument in which the point lies above the largest coordinates; nothing if there is none, or
/// more than one.
std::optional<std::size_t> argument_beyond(std::span<const double> largest, std::span<const double> point);

}  // namespace parcast::fit
