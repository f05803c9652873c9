// SPDX-License-Identifier: Apache-2.0
#pragma once
// Estimates for calls that the processes could hardly ever start at the same moment: on busy machines, or
// where a process has a share of a core.

#include <algorithm>
#include <cmath>
#include <vector>

namespace parcast::calibrate {

/// A call that the last process started `delay` seconds late, and that ended `seconds` after this start.
/// Counted from the planned start it took seconds + delay. Without the delay it would have taken a time
/// between these two.
struct LateRepeat {
  double seconds = 0, delay = 0;
};

struct RoughRepeats {
  std::vector<double> seconds;
  double error = 0;  // uncertainty from the delays, as a standard error
};

/// Uses the tenth of the repeats with the smallest delays, but at least `fewest`. Returns the middle of the
/// possible interval of each.
inline RoughRepeats least_late(std::vector<LateRepeat> repeats, std::size_t fewest) {
  std::stable_sort(repeats.begin(), repeats.end(),
                   [](const LateRepeat& a, const LateRepeat& b) { return a.delay < b.delay; });
  repeats.resize(std::min(repeats.size(), std::max(fewest, repeats.size() / 10)));
  RoughRepeats out;
  for (const LateRepeat& each : repeats) out.seconds.push_back(each.seconds + each.delay / 2);
  // standard deviation of a uniform distribution over the delay
  if (!repeats.empty()) out.error = repeats[repeats.size() / 2].delay / std::sqrt(12.0);
  return out;
}

}  // namespace parcast::calibrate
