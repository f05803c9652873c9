// SPDX-License-Identifier: Apache-2.0
#pragma once
// The error of a positive value's logarithm.

#include <cmath>

namespace parcast::statistics {

/// Returns the standard deviation of the logarithm of a positive value with that relative error. They are
/// equal up to 1/2. Beyond, the value may be several times as large, but it is no exponential function of its
/// error: where c log2(p) is most of a sum at p = 2 and nothing at p = 1, that would be any number.
inline double error_of_logarithm(double relative) {
  constexpr double kLinear = 0.5;
  return relative <= kLinear ? relative : kLinear + std::log1p(relative - kLinear);
}

}  // namespace parcast::statistics
