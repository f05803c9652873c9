// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which expressions fall below zero nowhere: a program's quotient is rounded towards zero and its unsigned numbers wrap there, and
// their expressions have to say so only where that can be.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "symbolic/expression.h"

namespace parcast::facts {

/// What a symbol lies between; without an entry it may be anything. `size`: what is left of it where numbers of processes divide it is not less than its lowest value either.
struct Bounds {
  std::int64_t lowest = 0;
  std::optional<symbolic::Expression> highest;
  bool size = false;
  bool whole = true;
};
using BoundsOf = std::map<std::string, Bounds, std::less<>>;

/// At least the value of an expression, whatever its sign, where sizes (symbols whose bounds say so) are `size`, numbers of processes a thousand, and the others what they are at most, else a thousand.
double magnitude(const symbolic::Expression& value, const BoundsOf& bounds, double size);

/// Whether `value` was shown to be at least zero wherever symbols lie within their bounds: one that was not may be so all the same.
bool is_never_negative(const symbolic::Expression& value, const BoundsOf& bounds);

}  // namespace parcast::facts
