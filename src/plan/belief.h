// SPDX-License-Identifier: Apache-2.0
#pragma once
// The belief about a positive quantity, and its update by one more run. The choice of a run needs only these
// two.

#include <memory>
#include <vector>

#include "statistics/summary.h"

namespace parcast::plan {

using Point = std::vector<double>;  // a value per parameter, >= 0
using statistics::Interval;

class Belief {
 public:
  virtual ~Belief() = default;
  /// Returns the interval of the value that a new run at `point` measures; `level` between 0 and 1 is its
  /// probability.
  virtual Interval at(const Point& point, double level) const = 0;
  /// Returns the belief after a run at `point` that measured `value` > 0.
  virtual std::unique_ptr<const Belief> after(const Point& point, double value) const = 0;
};

}  // namespace parcast::plan
