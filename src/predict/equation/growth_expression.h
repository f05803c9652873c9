// SPDX-License-Identifier: Apache-2.0
#pragma once
// A fitted growth model as an expression: its best hypothesis with the arguments put in.

#include "statistics/growth.h"
#include "symbolic/expression.h"

namespace parcast::predict {

/// Seconds per execution. As many arguments as the model has.
symbolic::Expression growth_expression(const statistics::GrowthModel& model,
                                       std::span<const symbolic::Expression> arguments);

/// A double as a fraction where it is one of a small denominator (exponents are), else as the nearest multiple of 2^-30.
symbolic::Rational nearest_fraction(double value);

/// The expected largest of `count` standard normal numbers (dependence/extreme.h) as an expression.
symbolic::Expression expected_largest(const symbolic::Expression& count);

}  // namespace parcast::predict
