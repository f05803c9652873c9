// SPDX-License-Identifier: Apache-2.0
#pragma once
// After what time a process with a share of a core gets it anew, from the stretches in which it stood still while it computed.

#include <algorithm>
#include <numeric>
#include <vector>

namespace parcast::calibrate {

/// Seconds; 0 without stretches. `gaps`: how long each was, of `elapsed` in all. Those count that are at least half as long as the one in which
/// half of all time without the processor lies: not what interrupts a process for a moment.
inline double share_period(std::vector<double> gaps, double elapsed) {
  if (gaps.empty()) return 0;
  std::sort(gaps.begin(), gaps.end());
  const double without = std::accumulate(gaps.begin(), gaps.end(), 0.0);
  double sum = 0, usual = gaps.back();
  for (const double gap : gaps)
    if ((sum += gap) * 2 >= without) {
      usual = gap;
      break;
    }
  return elapsed / static_cast<double>(std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap * 2 >= usual; }));
}

}  // namespace parcast::calibrate
