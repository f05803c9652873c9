// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parcast::program {

/// Differences between runs of a program at the same point.
struct BetweenRuns {
  double deviation = 0;  // relative standard deviation of a run's computing
  double related = 0;    // correlation of two segments' deviations in a run, 0 .. 1
  double unseen = 0;     // relative standard deviation between sessions, assumed (observations/sessions.h)
  double degrees = 0;    // of freedom of the first two: recordings less the coefficients of the costs, >= 0
};

}  // namespace parcast::program
