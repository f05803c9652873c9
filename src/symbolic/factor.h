// SPDX-License-Identifier: Apache-2.0
#pragma once
// Factors expressions, to write formulas as people do: steps*(n + 2) instead of n*steps + 2*steps.

#include <optional>

#include "symbolic/expression.h"

namespace parcast::symbolic {

/// Moves factors that all terms of a sum share in front of it, in operands too. The result equals `a`
/// everywhere.
Expression factored(const Expression& a);

/// Returns a / b if each factor of b is one of a: quotient(8*n*steps + 16*steps, steps) is 8*n + 16.
/// Otherwise returns nothing.
std::optional<Expression> quotient(const Expression& a, const Expression& b);

}  // namespace parcast::symbolic
