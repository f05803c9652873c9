// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

namespace parcast::store {

inline constexpr double kSameValue = 1e-9;  // relative: a CSV may hold fewer digits

inline bool same(double a, double b) {
  return std::fabs(a - b) <= kSameValue * std::max(std::fabs(a), std::fabs(b));
}

}  // namespace parcast::store
