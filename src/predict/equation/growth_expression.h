// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts a fitted growth model into an expression: its best hypothesis with the arguments inserted.

#include "statistics/growth.h"
#include "symbolic/expression.h"

namespace parcast::predict {

/// Returns the seconds per execution. Needs as many arguments as the model has.
symbolic::Expression growth_expression(const statistics::GrowthModel& model,
                                       std::span<const symbolic::Expression> arguments);

/// Returns a double as a fraction with a small denominator if possible (exponents have one), otherwise as the
/// nearest multiple of 2^-30.
symbolic::Rational nearest_fraction(double value);

/// Returns the expected largest of `count` standard normal numbers (dependence/extreme.h) as an expression.
symbolic::Expression expected_largest(const symbolic::Expression& count);

}  // namespace parcast::predict
