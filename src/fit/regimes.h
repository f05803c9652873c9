// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a parameter's growth changes within the data: a cache that no longer holds the problem, a network that saturates.

#include <optional>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "fit/mixture.h"

namespace parcast::fit {

/// Two power laws, each on three points at least, against the sum of terms or the power law that fits all points best. The ratio
/// of their residuals is compared with those of kSimulated seeded draws from the latter: a break is reported where at most one
/// in a hundred of these is as large. Only with one argument of at least six values.
std::optional<Break> find_break(const Observed& observed, const std::vector<std::string>& names);

inline constexpr int kSimulated = 199;
inline constexpr double kBreakLevel = 0.01;

}  // namespace parcast::fit
