// SPDX-License-Identifier: Apache-2.0
#include "source/counts/branch_ratio.h"

#include <algorithm>
#include <cmath>

#include "statistics/distribution.h"

namespace parcast::program {

BranchRatio branch_ratio(std::span<const Ways> ways, double level) {
  double taken = 0, all = 0, groups = 0;
  for (const Ways& each : ways) {
    taken += static_cast<double>(each.taken), all += static_cast<double>(each.all);
    groups += each.all > 0 ? 1 : 0;
  }
  BranchRatio out;
  out.ratio = taken / all;
  out.by_chance = groups < 2;
  double times = all;
  double quantile = statistics::normal_quantile((1 + level) / 2);
  if (!out.by_chance) {
    // Variance of a ratio of two sums over groups, from the deviations (Cochran 1977, section 6.4).
    double squares = 0;
    for (const Ways& each : ways)
      squares += std::pow(static_cast<double>(each.taken) - out.ratio * static_cast<double>(each.all), 2);
    const double variance = squares * groups / (groups - 1) / (all * all);
    if (variance > 0) times = std::min(all, out.ratio * (1 - out.ratio) / variance);
    quantile = statistics::student_t_quantile((1 + level) / 2, groups - 1);
  }
  const double z2 = quantile * quantile / times;
  const double middle = (out.ratio + z2 / 2) / (1 + z2),
               half = std::sqrt(z2 * out.ratio * (1 - out.ratio) + z2 * z2 / 4) / (1 + z2);
  out.low = std::max(0.0, middle - half);
  out.high = std::min(1.0, middle + half);
  return out;
}

}  // namespace parcast::program
