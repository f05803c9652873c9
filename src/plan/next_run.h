// SPDX-License-Identifier: Apache-2.0
#pragma once
// The run that narrows an answer most for its cost (docs/models/next_run.md).
//
//   asked about p = 1024: 41.3 s, 30.2 .. 58.1
//   p = 256   2.1 core-h   narrower by 38 %
//   p = 64    0.6 core-h   narrower by 17 %
//
// Every allowed run is tried: its possible outcomes come from the present belief, the fit is repeated with
// each, and the width of the answer's interval is averaged.

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/allowed.h"
#include "plan/belief.h"

namespace parcast::plan {

inline constexpr std::size_t kMostRuns = 20'000;  // allowed ones

/// The cost of a run: its seconds times its cores times its repetitions.
struct Cost {
  const Belief* seconds = nullptr;   // of one run; null: all runs cost the same, 1
  double unit = 1;                   // seconds per unit of that belief's values
  std::optional<std::size_t> cores;  // the parameter that is the number of cores; nothing: one
  double repetitions = 1;
};

struct Question {
  Point asked;
  double level = 0.9;
  std::vector<Allowed> allowed;  // per parameter; at least one value each
  std::optional<double> budget;  // nothing: the cost of the run in question
  double least = 0.05;           // fraction of the width; less narrowing is not worth a run
  unsigned threads = 0;          // 0: one per processor; results do not depend on it
  // called by the calling thread with the completed fraction; may be empty
  std::function<void(double)> progress;
};

struct Run {
  Point point;
  Interval seconds;  // of one repetition
  Interval cost;
  double width = 0;     // expected width of the answer after the run
  double narrower = 0;  // 1 - width / present width; below 0: more formulas become possible
};

struct Plan {
  Interval now;
  double width = 0;
  double budget = 0;
  std::vector<Run> runs;       // within the budget and worthwhile, the best first
  std::vector<Run> beyond;     // as good, but beyond the budget: the best
  std::size_t considered = 0;  // number of runs that were tried
  std::size_t too_dear = 0;    // those beyond the budget
  double best = 0;             // narrowing of the best within the budget, worthwhile or not
};

/// Sorts runs: first the cheapest that narrows at least 0.9 times as much as the best, and so on with the
/// rest.
void rank(std::vector<Run>& runs);

/// Returns the plan. Fails if a parameter has no allowed value, and if there are more than kMostRuns allowed
/// runs.
Result<Plan> next_run(const Belief& belief, const Cost& cost, const Question& question);

}  // namespace parcast::plan
