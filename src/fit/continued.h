// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plainest way beyond the data: the growth between the two largest points goes on.

#include <optional>
#include <span>

#include "fit/mixture.h"

namespace parcast::fit {

/// The logarithm of the value at `point`, by the straight line in logarithms through the largest known point along the one
/// argument in which `point` lies beyond the data, and the next at least half a doubling below. Nothing where `point` lies
/// beyond in none or several, or where fewer than two known points share its other coordinates.
std::optional<double> continued(const Observed& observed, std::span<const double> point);

}  // namespace parcast::fit
