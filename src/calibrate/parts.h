// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the training set divides bytes unequally to measure the v-variants of collectives.

#include <cstdint>
#include <vector>

namespace parcast::calibrate {

/// Divides `total` bytes in the proportion 1 : 2 : ... : count, as nearly as integers allow. The first i
/// parts together have floor(total i (i + 1) / (count (count + 1))).
inline std::vector<int> uneven_parts(std::int64_t total, int count) {
  std::vector<int> parts;
  std::int64_t before = 0;
  for (std::int64_t i = 1; i <= count; ++i) {
    const std::int64_t until = total * i * (i + 1) / (std::int64_t{count} * (count + 1));
    parts.push_back(static_cast<int>(until - before));
    before = until;
  }
  return parts;
}

}  // namespace parcast::calibrate
