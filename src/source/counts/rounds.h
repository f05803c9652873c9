// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rounds of loops in expressions of counts: one symbol per loop, 0 in its first round, and sums over rounds.

#include <string>

#include "symbolic/expression.h"

namespace parcast::program {

/// Returns "i3" for loop 3 of a function.
std::string round_name(int loop);
symbolic::Expression round_symbol(int loop);

bool depends(const symbolic::Expression& what, const symbolic::Expression& symbol);
bool depends_on_rounds(const symbolic::Expression& what);

/// Returns the sum of `each` over rounds 0, 1, ..., written out term by term if there are few.
symbolic::Expression over_rounds(const symbolic::Expression& round, const symbolic::Expression& iterations,
                                 const symbolic::Expression& each);

}  // namespace parcast::program
