// SPDX-License-Identifier: Apache-2.0
#pragma once
// Combines several launches of one process count, spread over the time of a calibration, into one. Repeats
// within a launch do not show some effects: another placement of pages and processes, a changed frequency,
// new neighbours. These effects appear as the spread between launches, which is part of the standard errors
// (docs/calibration.md, Messages).

#include <vector>

#include "calibrate/measurements.h"

namespace parcast::calibrate {

/// Returns one entry per process count, in the order of their first launches. A point is the median over its
/// launches. If only some launches have its size, their values are first adjusted to the level of the median
/// launch. Its standard error is that of its repeats or of the spread between launches, whichever is larger;
/// `drift` is the part that the points of its table share. Values keep one entry each. Points of the sweep
/// are not combined; they get the number of their launch. A single launch of a count stays unchanged.
std::vector<Measurements> combined(const std::vector<Measurements>& launches);

/// Shrinks relative standard deviations between launches towards their common value, because few launches
/// give a poor estimate (Smyth 2004; the common value has the weight of kShared degrees of freedom). Group i
/// has `freedom[i]` degrees of freedom.
std::vector<double> moderated(const std::vector<double>& deviations, const std::vector<double>& freedom);

/// Returns the factor by which a standard error with `freedom` degrees of freedom must grow, so that 1.96 of
/// it reaches 95 %.
double small_sample_factor(double freedom);

}  // namespace parcast::calibrate
