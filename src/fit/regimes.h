// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a parameter's growth changes within the data: a cache that no longer holds the problem, a network that saturates.

#include <optional>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "fit/layout.h"

namespace parcast::fit {

/// Along lines of at least six points on which one argument alone changes: two power laws, each on three points at least, the change
/// at one value for all lines, against the sum of terms or the power law that fits each line best. The ratio of their residuals is
/// compared with those of kSimulated seeded draws from the latter: a break is reported where at most one in a hundred of these is
/// as large. Of several arguments' breaks the one that explains most.
std::optional<Break> find_break(const std::vector<double>& values, const Layout& layout, const std::vector<std::string>& names);

inline constexpr int kSimulated = 199;
inline constexpr double kBreakLevel = 0.01;

}  // namespace parcast::fit
