// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings that something else on the machine slowed, such as a busy core or another user.
// docs/models/segments.md, "Slowed runs".

#include <cstddef>
#include <span>
#include <vector>

#include "observations/run_deviations.h"

namespace parcast::program {

/// With fewer runs none is reported.
inline constexpr std::size_t kFewestToCompare = 8;

/// Returns runs whose computing, all segments together, exceeds the sum of their costs by more than four
/// robust standard deviations of all runs, and by at least an eighth. In addition, for each parameter value
/// and process count of such a run, other runs with the same value are not slow. A value that only one run
/// has may itself be the reason. Returns at most one run in eight, those with the largest excess. `points`:
/// each run's parameters and process count. `disturbed`: per run, whether something else surely ran on its
/// cores; such a run may also compute less than the others give, which had all cores busy with equal work.
std::vector<std::size_t> slowed_runs(std::span<const FittedSegment> segments,
                                     const std::vector<std::vector<double>>& points,
                                     const std::vector<bool>& disturbed = {});

}  // namespace parcast::program
