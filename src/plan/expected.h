// SPDX-License-Identifier: Apache-2.0
#pragma once
// The expected width of an interval after one more run: the mean over the possible outcomes (Lindley 1956,
// with the width as loss; docs/models/next_run.md, equation 1).

#include "plan/belief.h"

namespace parcast::plan {

/// Returns ln(high / low), since intervals are factors of the value; 0 if it is known exactly.
double width(const Interval& interval);

/// Number of outcomes over which a width is averaged: the medians of parts of equal probability.
inline constexpr int kOutcomes = 16;

/// Returns the mean of width(after(point, y).at(asked, level)) over outcomes y of the present belief.
double expected_width(const Belief& belief, const Point& point, const Point& asked, double level);

}  // namespace parcast::plan
