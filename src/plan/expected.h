// SPDX-License-Identifier: Apache-2.0
#pragma once
// How wide an interval is expected to be after one more run: the mean over what the run may measure (Lindley 1956, with the
// width as what is lost; docs/models/next_run.md, equation 1).

#include "plan/belief.h"

namespace parcast::plan {

/// ln(high / low), since intervals are factors of the value; 0 where it is known exactly.
double width(const Interval& interval);

/// Outcomes over which a width is averaged: the middles of so many parts of equal probability.
inline constexpr int kOutcomes = 16;

/// Mean of width(after(point, y).at(asked, level)) over outcomes y as they are believed now.
double expected_width(const Belief& belief, const Point& point, const Point& asked, double level);

}  // namespace parcast::plan
