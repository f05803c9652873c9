// SPDX-License-Identifier: Apache-2.0
#pragma once
// Widens the interval for messages over a link that was not measured. docs/models/intervals.md, "A link that
// was not measured".

#include "predict/prediction.h"

namespace parcast::predict {

/// Largest ratio between a message's time over an unmeasured link and its time over the link that replaces
/// it. Assumed: today's networks take 3 to 30 times as long as memory between two cores.
inline constexpr double kStandInFactor = 10;

/// Raises the upper end of the interval when a needed link was not measured. Then another link replaces it,
/// or messages count as free.
void hold_assumed_link(const machine::Machine& machine, Prediction& prediction);

}  // namespace parcast::predict
