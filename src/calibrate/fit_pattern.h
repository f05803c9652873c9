// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the measured points of a pattern to its cost t(m, p) = a + b f(p) + m (c + d f(p)), piecewise in m.
// docs/models/communication.md.

#include <string>
#include <vector>

#include "machine/machine.h"

namespace parcast::calibrate {

/// Fits `pattern.pieces` and the cost on one process from `pattern.points`. Returns the growth with
/// processes that was assumed ("ceil_log2"), that of the usual algorithm, where the points cannot tell it: when
/// they were measured at fewer than three process counts above one. Else empty.
std::string fit_pattern(machine::PatternCost& pattern);

/// |fit - point| / point of every point with more than one process; of those beyond all pieces none.
std::vector<double> relative_residuals(const machine::PatternCost& pattern);

/// The fitted cost of one call; that of one process where processes is 1.
double fitted_seconds(const machine::PatternCost& pattern, double bytes, std::int32_t processes);

}  // namespace parcast::calibrate
