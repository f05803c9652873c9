// SPDX-License-Identifier: Apache-2.0
#pragma once
// A count as an expression in the problem's parameters, the process count and the rank, and how it was found.

#include <string>
#include <vector>

#include "base/origin.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// A whole number per process and run: executions, messages, bytes.
struct Count {
  symbolic::Expression expression;                 // the preferred one
  Origin origin = Origin::unknown;
  std::vector<symbolic::Expression> alternatives;  // ambiguous: the others that hold for every recording
  std::vector<std::string> open;                   // ambiguous: variables seen at too few values to tell (settled.h)
  std::vector<std::vector<double>> settling;       // values of the open variables, in their order, with which it is no longer
  double relative_error = 0;                       // fitted: validation error, as a fraction
  std::string advice;                              // ambiguous: the one recording that would tell the candidates apart
};

}  // namespace parcast::program
