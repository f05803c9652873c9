// SPDX-License-Identifier: Apache-2.0
#pragma once
// The computing times of one segment on one process, in order of execution, reduced to a mean without
// disturbance by scheduling. Times may have a trend over a run (a matrix shrinks during elimination), so the
// mean scales, not the median. A sample that another thread disturbed is replaced by the level of its
// undisturbed neighbours. docs/models/segments.md.

#include <cstdint>
#include <span>
#include <vector>

namespace parcast::program {

struct Sample {
  std::int64_t nanoseconds = 0;
  bool disturbed = false;
};

struct TimeSummary {
  std::int64_t count = 0;
  double mean = 0;  // seconds per execution; excludes the first execution's excess if it is an outlier
  double standard_error = 0;  // of the mean
  // Spread between neighbours / mean: standard deviation of a normal distribution with the same mean
  // difference of two values.
  double noise = 0;
  double total = 0;        // seconds, as measured
  double first_extra = 0;  // seconds by which the first execution exceeds its successors
  double disturbed = 0;    // share of executions
  // Seconds per execution over consecutive stretches of the executions, up to 128.
  std::vector<float> course;
};

TimeSummary summarise(std::span<const Sample> samples);

}  // namespace parcast::program
