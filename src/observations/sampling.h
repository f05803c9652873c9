// SPDX-License-Identifier: Apache-2.0
#pragma once
// The computing times of one segment on one process, in order of execution, reduced to a mean that scheduling did not
// disturb. Times may trend over a run (a matrix that is eliminated shrinks), so the mean is what scales, not the median;
// what another thread disturbed is replaced by what its undisturbed neighbours took. docs/models/segments.md.

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
  double mean = 0;             // seconds per execution, the first one apart where it stands out
  double standard_error = 0;   // of the mean
  double noise = 0;            // spread between neighbours / mean: of the normal with the same mean difference of two
  double total = 0;            // seconds, as measured
  double first_extra = 0;      // seconds by which the first execution exceeds what its successors took
  double disturbed = 0;        // share of executions
  std::vector<float> course;   // seconds per execution over consecutive stretches of the executions, up to 128
};

TimeSummary summarise(std::span<const Sample> samples);

}  // namespace parcast::program
