// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is left where processes could hardly ever begin a call at the same moment: on machines that are busy, or give a process a share of a core.

#include <algorithm>
#include <cmath>
#include <vector>

namespace parcast::calibrate {

/// A call in which the last process began `delay` seconds late, and that ended `seconds` after it did: from the moment at which all should have begun
/// to the end it took seconds + delay, and without the delay something between the two.
struct LateRepeat {
  double seconds = 0, delay = 0;
};

struct RoughRepeats {
  std::vector<double> seconds;
  double error = 0;  // what the delays leave open, as a standard error
};

/// Of the tenth with the least delays, and at least `fewest`, the middle of what is possible.
inline RoughRepeats least_late(std::vector<LateRepeat> repeats, std::size_t fewest) {
  std::stable_sort(repeats.begin(), repeats.end(), [](const LateRepeat& a, const LateRepeat& b) { return a.delay < b.delay; });
  repeats.resize(std::min(repeats.size(), std::max(fewest, repeats.size() / 10)));
  RoughRepeats out;
  for (const LateRepeat& each : repeats) out.seconds.push_back(each.seconds + each.delay / 2);
  if (!repeats.empty()) out.error = repeats[repeats.size() / 2].delay / std::sqrt(12.0);  // of an even distribution over the delay
  return out;
}

}  // namespace parcast::calibrate
