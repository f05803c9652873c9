// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the measured curve of a pattern has more than its fitted pieces (docs/models/communication.md, equation 8).

#include <vector>

#include "machine/machine.h"

namespace parcast::calibrate {

/// Fits `pattern.corrections` from `pattern.points` beside `pattern.pieces`. A point counts the less the nearer its distance from the
/// pieces is to its own error; knots that the line through their neighbours meets within 1 % of the point are left out, and all where
/// every point is within 1 % of the pieces.
void fit_corrections(machine::PatternCost& pattern);

/// A point on more than one process beside what all others say of it.
struct LeftOut {
  double bytes = 0;
  double by_pieces = 0, by_others = 0;  // relative residuals: of the pieces, and of pieces and corrections without this point
};
std::vector<LeftOut> left_out(const machine::PatternCost& pattern);

}  // namespace parcast::calibrate
