// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether what is told of recorded processes has a value for others: what is done per execution of a call has none where that is never executed.

#include "observations/inputs.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// Finite at the recorded points, with three times their sizes (numbers of 8 or more), and with all parameters 1, on one process and several of them, ranks
/// at the ends, next to them and in the middle.
bool has_values(const symbolic::Expression& expression, const Inputs& inputs);

}  // namespace parcast::program
