// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a call of a pattern costs by the machine's table: t(m, p) = a + b f(p) + m (c + d f(p)) + k(m, p), the pieces' formula and what
// the measured curve has more (docs/models/communication.md, equations 6 and 8). k is straight in m between the knots of one process
// count and in log2 p between counts, constant beyond them, and never takes away more than 0.9 of the formula.

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// Seconds of one call by the pieces alone, on more than one process; 0 without pieces.
double piece_seconds(const PatternCost& pattern, double processes, double bytes);
/// Seconds of one call, on one process too.
double pattern_seconds(const PatternCost& pattern, double processes, double bytes);

/// k(m, p) as it stands between the knots; 0 without any.
double correction_at(const PatternCost& pattern, double processes, double bytes);
/// The same as an expression, which has that value everywhere.
symbolic::Expression correction_expression(const PatternCost& pattern, const symbolic::Expression& bytes, const symbolic::Expression& members);
/// The correction of a call that costs `pieces` without it: what of it may be taken away is bounded.
symbolic::Expression bounded_correction(const symbolic::Expression& correction, const symbolic::Expression& pieces);

}  // namespace parcast::machine
