// SPDX-License-Identifier: Apache-2.0
#pragma once
// Proves that expressions are never below zero. A program's integer quotient is rounded towards zero and its
// unsigned numbers wrap below zero. Their expressions need conditions for that only where a value may be
// negative.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "symbolic/expression.h"

namespace parcast::facts {

/// The range of a symbol; a symbol without an entry is unbounded. `size`: the symbol divided by numbers of
/// processes is also at least `lowest`. `whole`: the symbol is an integer.
struct Bounds {
  std::int64_t lowest = 0;
  std::optional<symbolic::Expression> highest;
  bool size = false;
  bool whole = true;
};
using BoundsOf = std::map<std::string, Bounds, std::less<>>;

/// Returns an upper bound of the absolute value of an expression. Symbols whose bounds have `size` set are
/// taken as `size`, numbers of processes as 1000, and other symbols as their `highest`, or as 1000 if they
/// have none.
double magnitude(const symbolic::Expression& value, const BoundsOf& bounds, double size);

/// Returns whether `value` is proved to be at least zero wherever symbols lie within their bounds. False
/// means that no proof was found, so the value may still be nonnegative.
bool is_never_negative(const symbolic::Expression& value, const BoundsOf& bounds);

}  // namespace parcast::facts
