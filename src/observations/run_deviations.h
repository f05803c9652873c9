// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deviations of runs from the sums of their segments' costs, and the part of segments' deviations that all
// segments of a run share. A machine that is slow for a minute slows all of them. docs/models/intervals.md,
// "Runs".

#include <cstddef>
#include <span>
#include <vector>

#include "model/between_runs.h"

namespace parcast::program {

/// Prior for the relative standard deviation between two equal runs; it weighs as much as kOpinion runs.
inline constexpr double kUsualDeviation = 0.03;
inline constexpr double kOpinion = 2;

/// A segment in one of the runs that its cost was fitted to.
struct SegmentDeviation {
  std::size_t run = 0;
  double relative = 0;  // measured / predicted by the cost - 1
  double seconds = 0;   // predicted by the cost for all ranks together, >= 0
};

struct FittedSegment {
  std::vector<SegmentDeviation> deviations;  // one per run
  // Runs with more processes than cores, if the cost was fitted to them, too.
  std::vector<SegmentDeviation> crowded = {};
  double coefficients = 0;  // number of fitted coefficients
};

/// Returns the deviations between runs; `unseen` stays 0. Zeros without segments. Values are shrunk towards
/// kUsualDeviation and a correlation of one half.
BetweenRuns between_runs(std::span<const FittedSegment> segments);

}  // namespace parcast::program
