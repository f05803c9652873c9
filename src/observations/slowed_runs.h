// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings that something else slowed while they ran: a busy core, another user. docs/models/segments.md,
// "Slowed runs".

#include <cstddef>
#include <span>
#include <vector>

#include "observations/run_deviations.h"

namespace parcast::program {

/// Fewer runs show nothing.
inline constexpr std::size_t kFewestToCompare = 8;

/// Runs whose computing, all segments together, is longer than their costs give by more than four robust
/// standard deviations of all runs, and by an eighth at least; and for each value of theirs, other runs of
/// the same value that are not. A size or a process count that one run alone has slows it by itself, as far
/// as anyone can see. At most one run in eight: those that deviate most. `points`: each run's parameters and
/// process count.
std::vector<std::size_t> slowed_runs(std::span<const FittedSegment> segments,
                                     const std::vector<std::vector<double>>& points);

}  // namespace parcast::program
