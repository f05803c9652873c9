// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages over a link that nobody measured. docs/models/intervals.md, A link that was not measured.

#include "predict/prediction.h"

namespace parcast::predict {

/// So many times as long as over the link that stands in for it may a message take. Assumed: a network of today takes 3 to 30
/// times as long as memory between two cores.
inline constexpr double kStandInFactor = 10;

/// Raises the upper end where a needed link was not measured: another link stands in for it, or messages count as free.
void hold_assumed_link(const machine::Machine& machine, Prediction& prediction);

}  // namespace parcast::predict
