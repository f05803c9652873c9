// SPDX-License-Identifier: Apache-2.0
#include "base/plain_number.h"

#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace parcast {

std::string format_plain(double value) {
  constexpr double kLargest = 1e15;  // whole numbers up to here are exact
  if (value != std::floor(value) || std::abs(value) >= kLargest) return format_exact(value);
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.0f", value);
  return digits;
}

}  // namespace parcast
