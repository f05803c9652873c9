// SPDX-License-Identifier: Apache-2.0
#pragma once
// Remarks on how a calibration's measurements were obtained: circumstances that affect the numbers, each with
// a hint.

#include <vector>

#include "base/result.h"
#include "calibrate/measurements.h"

namespace parcast::calibrate {

/// Reports processes that shared cores, a core whose speed changed during the measurement, noise that the
/// budget could not reduce, and what was not measured. `what` is a sentence, `hint` a suggestion. `launches`
/// are in the order in which they were made.
std::vector<Error> remarks(const std::vector<Measurements>& launches);

}  // namespace parcast::calibrate
