// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interval arithmetic with outward rounding. Each function returns an interval that contains every exact
// result for operands from the given intervals. Infinite ends mean unbounded. It returns nothing if no
// operands have a result.

#include <cstdint>
#include <optional>

#include "symbolic/expression.h"
#include "symbolic/number.h"

namespace parcast::symbolic::interval {

using Range = std::optional<Interval>;

Interval whole_line();
Interval point(const Number& value);
Interval hull(const Interval& a, const Interval& b);
Interval add(const Interval& a, const Interval& b);
Interval subtract(const Interval& a, const Interval& b);
Interval multiply(const Interval& a, const Interval& b);
Range divide(const Interval& a, const Interval& b);
Range power(const Interval& base, const Rational& exponent);
Interval floor(const Interval& a);
Interval ceil(const Interval& a);
Range modulo(const Interval& a, const Interval& b);
Interval minimum(const Interval& a, const Interval& b);
Interval maximum(const Interval& a, const Interval& b);
Range log2(const Interval& a);

}  // namespace parcast::symbolic::interval
