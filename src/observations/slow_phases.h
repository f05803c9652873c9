// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slow phases: a rank computes slower for a while because of its neighbours on the machine, and then faster
// again. In the times of one rank they look like a trend; they show in the differences between ranks that
// execute the same work. docs/models/segments.md.

#include <optional>
#include <span>
#include <vector>

#include "observations/sampling.h"

namespace parcast::program {

struct SlowPhases {
  double noise = 0;  // standard deviation between ranks / mean, without lasting differences
  /// Standard deviation of one execution between ranks / mean: the most that differs from iteration to
  /// iteration by chance. What all ranks have in common, as where one call site closes long and short work,
  /// is no noise. Empty: the ranks cannot be compared.
  std::optional<double> between_executions = {};
  // Per rank: the error that slow phases leave in its mean, relative and squared.
  std::vector<double> squared_errors;
};

/// Returns zeros if there are fewer than two ranks, or if they executed the segment unequally often or fewer
/// than 16 times.
SlowPhases slow_phases_between(std::span<const TimeSummary* const> ranks);

}  // namespace parcast::program
