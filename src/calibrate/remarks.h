// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a calibration's measurements say of how they came about: circumstances that their numbers rest on, each with what to try.

#include <vector>

#include "base/result.h"
#include "calibrate/measurements.h"

namespace parcast::calibrate {

/// Processes that shared cores, a core whose speed changed while it was measured, noise beyond what the budget settles, and what was not
/// measured at all. `what` is a sentence, `hint` what to try. `launches` in the order in which they were made.
std::vector<Error> remarks(const std::vector<Measurements>& launches);

}  // namespace parcast::calibrate
