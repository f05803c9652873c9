// SPDX-License-Identifier: Apache-2.0
#include "plan/expected.h"

#include <cmath>

namespace parcast::plan {

double width(const Interval& interval) {
  return interval.low > 0 && interval.high > interval.low ? std::log(interval.high / interval.low) : 0;
}

double expected_width(const Belief& belief, const Point& point, const Point& asked, double level) {
  static_assert(kOutcomes % 2 == 0, "outcomes are ends of intervals");
  double sum = 0;
  for (int k = 0; k < kOutcomes / 2; ++k) {
    // The probability below the lower end is (k + 1/2) / kOutcomes, and the same above the upper one.
    const Interval outcome = belief.at(point, 1 - (2.0 * k + 1) / kOutcomes);
    sum += width(belief.after(point, outcome.low)->at(asked, level));
    sum += width(belief.after(point, outcome.high)->at(asked, level));
  }
  return sum / kOutcomes;
}

}  // namespace parcast::plan
