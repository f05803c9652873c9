// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks that an expression found from recorded processes has a value for other processes. For example, work
// per execution of a call has no value where the call is never executed.

#include "observations/inputs.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// Returns whether the expression is finite at the recorded points, with sizes (numbers of 8 or more)
/// multiplied by 3, and with all parameters 1. It is evaluated for one process and several, at the ranks at
/// both ends, next to these, and in the middle.
bool has_values(const symbolic::Expression& expression, const Inputs& inputs);

}  // namespace parcast::program
