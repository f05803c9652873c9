// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plain forecasts of values over processes and sizes: what a person would extrapolate with. They compete with
// the mixture where few numbers of processes are crossed with few sizes (docs/models/fit.md, Crossed).
//
//   last point        the value at the largest coordinates
//   perfect scaling   the same, times sizes^fitted, divided by p
//   a + b/p, a + b/p + c log2 p   each times sizes^fitted; coefficients >= 0
//
// A power law with a fitted exponent of p is none of them: few values of p do not determine its growth.

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

inline constexpr std::array<std::string_view, 4> kPlainForecasts{"last point", "perfect scaling", "a + b/p",
                                                                 "a + b/p + c log2 p"};

/// One formula for each plain forecast; nothing where the values do not determine it.
using PlainForecasts = std::array<std::optional<statistics::GrowthHypothesis>, kPlainForecasts.size()>;

/// Returns the plain forecasts of values > 0. `processes` has an entry per argument: whether it counts
/// processes; p is the product of those. Sizes enter as powers fitted to all values.
PlainForecasts plain_forecasts(const Points& points, std::span<const double> values,
                               const std::vector<bool>& processes);

/// The logarithm of each plain forecast at a point; nothing where there is none.
using PlainAnswers = std::array<std::optional<double>, kPlainForecasts.size()>;
PlainAnswers answers_at(const PlainForecasts& forecasts, std::span<const double> point);

}  // namespace parcast::fit
