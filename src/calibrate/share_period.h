// SPDX-License-Identifier: Apache-2.0
#pragma once
// Estimates the period after which a process with a share of a core gets its share again, from the gaps in
// which it was stopped while computing.

#include <algorithm>
#include <numeric>
#include <vector>

namespace parcast::calibrate {

/// Returns seconds; 0 without gaps. `gaps`: lengths of the gaps, measured during `elapsed` seconds. Half of
/// the stopped time lies in gaps up to a usual length. Only gaps of at least half that length count, so that
/// brief interruptions are ignored.
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
  return elapsed / static_cast<double>(
                       std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap * 2 >= usual; }));
}

}  // namespace parcast::calibrate
