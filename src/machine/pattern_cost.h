// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cost of a call of a pattern by the machine's table: t(m, p) = a + b f(p) + m (c + d f(p)) + k(m, p).
// The first terms are the pieces' formula; k is the measured curve minus that formula
// (docs/models/communication.md, equations 6 and 8). k is linear in m between the knots of one process count
// and linear in log2 p between counts, and constant beyond the knots. It never subtracts more than 0.9 of the
// formula.

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// Returns the seconds of one call by the pieces' formula, on more than one process; 0 without pieces.
double piece_seconds(const PatternCost& pattern, double processes, double bytes);
/// Returns the seconds of one call, on one process too.
double pattern_seconds(const PatternCost& pattern, double processes, double bytes);

/// Returns k(m, p) without its limit; 0 without knots.
double correction_at(const PatternCost& pattern, double processes, double bytes);
/// Returns the same as an expression with equal values everywhere.
symbolic::Expression correction_expression(const PatternCost& pattern, const symbolic::Expression& bytes,
                                           const symbolic::Expression& members);
/// Returns the correction of a call that costs `pieces` without it, limited to -0.9 of `pieces` from below.
symbolic::Expression bounded_correction(const symbolic::Expression& correction,
                                        const symbolic::Expression& pieces);

}  // namespace parcast::machine
