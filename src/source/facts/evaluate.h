// SPDX-License-Identifier: Apache-2.0
#pragma once
// Evaluates a node exactly, with the program's own arithmetic: integers modulo 2^bits and floating-point
// numbers in double precision. The result is what the program computed, overflow included.

#include <functional>
#include <optional>
#include <vector>

#include "source/facts/facts.h"

namespace parcast::facts {

/// An integer of `bits` bits, sign-extended, or a floating-point number.
struct Value {
  bool is_real = false;
  std::int64_t whole = 0;
  double real = 0;

  friend bool operator==(const Value&, const Value&) = default;
};

/// Values that evaluation needs from the caller. `source` returns the value of a node that comes from
/// elsewhere (argument, load, call or untold), or nothing if it is unknown. `round` returns the current round
/// of a loop, counted from 0.
struct Surroundings {
  std::function<std::optional<Value>(NodeNumber)> source;
  std::function<std::optional<std::uint64_t>(int loop)> round;
};

/// Returns the value of a node. The result is empty if a source or round is unknown, if the operation is not
/// arithmetic, or if it has no value: a division by zero, a shift by more bits than the type has, a
/// conversion of a number that does not fit.
std::optional<Value> evaluate(const Function& function, NodeNumber node, const Surroundings& surroundings);

}  // namespace parcast::facts
