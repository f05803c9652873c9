// SPDX-License-Identifier: Apache-2.0
#pragma once
// Factors of expressions, for formulas as people write them: steps*(n + 2), not n*steps + 2*steps.

#include <optional>

#include "symbolic/expression.h"

namespace parcast::symbolic {

/// Takes factors that all terms of a sum share out of it, in operands too. Equal to `a` everywhere.
Expression factored(const Expression& a);

/// a / b where each factor of b is one of a: quotient(8*n*steps + 16*steps, steps) is 8*n + 16. Nothing elsewhere.
std::optional<Expression> quotient(const Expression& a, const Expression& b);

}  // namespace parcast::symbolic
