// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several launches of the same number of processes, spread over the time of a calibration, to one. What repeats within one launch do not
// show (pages and processes placed otherwise, a frequency that changed, neighbours that came) shows as the spread between launches, and
// enters the standard errors (docs/models/communication.md, Errors).

#include <vector>

#include "calibrate/measurements.h"

namespace parcast::calibrate {

/// By process count, in the order of the first launch of each. A point is the median of its launches', brought to the middle one's level where only
/// some launches came to its size; its standard error is that of
/// its repeats or of the spread between launches, whichever is larger, and `drift` is what the points of its table share. Values keep
/// one entry each. Points of the sweep stay apart, with the number of their launch. One launch of a count stays as it is.
std::vector<Measurements> combined(const std::vector<Measurements>& launches);

/// Relative standard deviations between launches, of groups of `freedom[i]` degrees of freedom each, every one drawn towards what all
/// have in common, since few launches tell little of one (Smyth 2004, with the weight of kShared degrees of freedom).
std::vector<double> moderated(const std::vector<double>& deviations, const std::vector<double>& freedom);

/// How much larger a standard error from so many degrees of freedom must be taken for 1.96 of it to reach 95 %.
double small_sample_factor(double freedom);

}  // namespace parcast::calibrate
