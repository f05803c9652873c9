// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reports of waiting ranks, common to both engines.

#include "predict/simulate/simulate.h"

namespace parcast::simulate {

using trace::different_collectives;

/// Sets `cycle` and `by_choice` of an outcome with `ranks` and `waiting`.
void explain_hang(const trace::Trace& trace, Outcome& outcome);

}  // namespace parcast::simulate
