// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fits the difference between the measured curve of a pattern and its fitted pieces
// (docs/models/communication.md, equation 8).

#include <vector>

#include "machine/machine.h"

namespace parcast::calibrate {

/// Fits `pattern.corrections` from `pattern.points` and `pattern.pieces`. The smaller a point's distance from
/// the pieces compared with its own error, the smaller its correction. A knot is left out if the line through
/// its neighbours is within 1 % of it. All are left out if every point is within 1 % of the pieces.
void fit_corrections(machine::PatternCost& pattern);

/// A point on several processes, compared with its prediction from all other points.
struct LeftOut {
  double bytes = 0;
  // relative residuals: of the pieces, and of pieces with corrections fitted without this point
  double by_pieces = 0, by_others = 0;
};
std::vector<LeftOut> left_out(const machine::PatternCost& pattern);

}  // namespace parcast::calibrate
