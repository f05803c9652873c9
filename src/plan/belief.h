// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is believed of a positive quantity, and what one more run would make of it: all that the choice of a run needs to know.

#include <memory>
#include <vector>

#include "statistics/summary.h"

namespace parcast::plan {

using Point = std::vector<double>;  // a value per parameter, >= 0
using statistics::Interval;

class Belief {
 public:
  virtual ~Belief() = default;
  /// Of the value that a new run at `point` measures; `level` between 0 and 1 is the interval's probability.
  virtual Interval at(const Point& point, double level) const = 0;
  /// What would be believed after a run at `point` that measured `value` > 0.
  virtual std::unique_ptr<const Belief> after(const Point& point, double value) const = 0;
};

}  // namespace parcast::plan
