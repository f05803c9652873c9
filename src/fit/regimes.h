// SPDX-License-Identifier: Apache-2.0
#pragma once
// Detects changes of a parameter's growth within the data: a cache that no longer holds the problem, a
// network that saturates.

#include <optional>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "fit/layout.h"

namespace parcast::fit {

/// Tests lines of at least six points on which only one argument changes. The alternative is two power laws,
/// each on at least three points, with the change at the same value for all lines. The null hypothesis is the
/// sum of terms, or the power law, that fits each line best. The ratio of their residuals is compared with
/// kSimulated seeded draws from the null hypothesis. A break is reported if at most one in a hundred draws
/// has as large a ratio. Among the breaks of several arguments, the one that explains most is returned.
std::optional<Break> find_break(const std::vector<double>& values, const Layout& layout,
                                const std::vector<std::string>& names);

inline constexpr int kSimulated = 199;
inline constexpr double kBreakLevel = 0.01;

}  // namespace parcast::fit
