// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the measured points of a pattern to its cost t(m, p) = a + b f(p) + m (c + d f(p)) + k(m, p), piecewise in m, k what the
// measured curve has more. docs/models/communication.md, equations 6 and 8.

#include <string>
#include <vector>

#include "machine/machine.h"

namespace parcast::calibrate {

/// Fits `pattern.pieces`, `pattern.corrections` and the cost on one process from `pattern.points`. Returns the growth with
/// processes that was assumed ("ceil_log2"), that of the usual algorithm, where the points cannot tell it: when
/// they were measured at fewer than three process counts above one. Else empty.
std::string fit_pattern(machine::PatternCost& pattern);

/// |fit - point| / point of every point with more than one process.
std::vector<double> relative_residuals(const machine::PatternCost& pattern);

/// Standard error of the point's seconds over these, with what no median of repeats resolves.
double relative_error(const machine::CostPoint& point);

}  // namespace parcast::calibrate
