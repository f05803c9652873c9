// SPDX-License-Identifier: Apache-2.0
#pragma once
// What both engines say of ranks that wait.

#include "predict/simulate/simulate.h"

namespace parcast::simulate {

using trace::different_collectives;

/// Of an outcome with `ranks` and `waiting`: the circle, and whether another order might let them go on.
void explain_hang(const trace::Trace& trace, Outcome& outcome);

}  // namespace parcast::simulate
