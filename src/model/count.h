// SPDX-License-Identifier: Apache-2.0
#pragma once
// A count as an expression in the problem's parameters, the process count and the rank, with its origin.

#include <string>
#include <vector>

#include "base/origin.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// A whole number per process and run: executions, messages, bytes.
struct Count {
  symbolic::Expression expression;  // the preferred one
  Origin origin = Origin::unknown;
  // ambiguous: the other expressions that hold for every recording
  std::vector<symbolic::Expression> alternatives;
  // ambiguous: variables with too few recorded values to determine their effect (resolved.h)
  std::vector<std::string> open;
  // Values of the open variables, in their order, with which the count is no longer ambiguous.
  std::vector<std::vector<double>> settling;
  double relative_error = 0;  // fitted: validation error, as a fraction
  std::string advice;         // ambiguous: the recording that would decide between the alternatives
};

}  // namespace parcast::program
