// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fits the cost of a pattern t(m, p) = a + b f(p) + m (c + d f(p)) + k(m, p) to its measured points. The cost
// is piecewise in m; k is the difference between the measured curve and the pieces.
// docs/models/communication.md, equations 6 and 8.

#include <string>
#include <vector>

#include "machine/machine.h"

namespace parcast::calibrate {

/// Fits `pattern.pieces`, `pattern.corrections` and the cost on one process from `pattern.points`. If the
/// points have fewer than three process counts above one, the growth with processes cannot be estimated. Then
/// the growth of the usual algorithm is assumed, and its name ("ceil_log2") is returned. Otherwise returns an
/// empty string.
std::string fit_pattern(machine::PatternCost& pattern);

/// Returns |fit - point| / point for every point with more than one process.
std::vector<double> relative_residuals(const machine::PatternCost& pattern);

/// Returns the standard error of the point divided by its seconds, including a floor for what a median of
/// repeats does not resolve.
double relative_error(const machine::CostPoint& point);

}  // namespace parcast::calibrate
