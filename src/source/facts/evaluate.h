// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exact value of a node: the program's own arithmetic, whole numbers modulo 2^bits and floating-point
// numbers in double precision, so that what it gives is what the program computed, overflow included.

#include <functional>
#include <optional>
#include <vector>

#include "source/facts/facts.h"

namespace parcast::facts {

/// A whole number of `bits` bits, kept sign-extended; or a floating-point number.
struct Value {
  bool is_real = false;
  std::int64_t whole = 0;
  double real = 0;

  friend bool operator==(const Value&, const Value&) = default;
};

/// What evaluation asks for: the value of a node that comes from elsewhere (argument, load, call, or one that
/// is not told), nothing where it is not known; and the round of a loop, from 0.
struct Surroundings {
  std::function<std::optional<Value>(NodeNumber)> source;
  std::function<std::optional<std::uint64_t>(int loop)> round;
};

/// Nothing where a source or round is not known, the operation is not one of arithmetic, or has no value
/// (division by zero, a shift by more bits than there are, conversion of a number that does not fit).
std::optional<Value> evaluate(const Function& function, NodeNumber node, const Surroundings& surroundings);

}  // namespace parcast::facts
