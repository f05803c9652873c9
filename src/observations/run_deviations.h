// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far whole runs are from what the costs of their segments give, and how much of what segments miss is the same in all segments of a
// run: a machine that is slow for a minute slows all of them. docs/models/intervals.md, "Runs".

#include <cstddef>
#include <span>
#include <vector>

#include "model/between_runs.h"

namespace parcast::program {

/// What is thought of runs before any are seen: two equal ones differ by so much (relative standard deviation), an opinion that weighs as much as two runs.
inline constexpr double kUsualDeviation = 0.03;
inline constexpr double kOpinion = 2;

/// A segment in one of the runs that its cost rests on.
struct SegmentDeviation {
  std::size_t run = 0;
  double relative = 0;   // measured / what the cost gives - 1
  double seconds = 0;    // that the cost gives for all ranks together, >= 0
};

struct FittedSegment {
  std::vector<SegmentDeviation> deviations;  // one per run
  std::vector<SegmentDeviation> crowded = {};  // of runs with more processes than cores, where the cost rests on them, too
  double coefficients = 0;                   // fitted to them
};

/// `unseen` is left 0. Zeros without segments. Drawn towards kUsualDeviation and a relation of one half.
BetweenRuns between_runs(std::span<const FittedSegment> segments);

}  // namespace parcast::program
