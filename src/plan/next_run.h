// SPDX-License-Identifier: Apache-2.0
#pragma once
// The run that narrows an answer most for its cost (docs/models/next_run.md).
//
//   asked about p = 1024: 41.3 s, 30.2 .. 58.1
//   p = 256   2.1 core-h   narrower by 38 %
//   p = 64    0.6 core-h   narrower by 17 %
//
// Every allowed run is tried: what it may measure is taken from what is believed now, the fit is made anew with it, and the width
// of the answer's interval is averaged.

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/allowed.h"
#include "plan/belief.h"

namespace parcast::plan {

inline constexpr std::size_t kMostRuns = 20'000;  // allowed ones

/// What a run costs: its seconds times its cores times how often it is made.
struct Cost {
  const Belief* seconds = nullptr;   // of one run; nothing: all runs cost the same, 1
  double unit = 1;                   // seconds per unit of that belief's values
  std::optional<std::size_t> cores;  // the parameter that counts them; nothing: one
  double repetitions = 1;
};

struct Question {
  Point asked;
  double level = 0.9;
  std::vector<Allowed> allowed;      // per parameter; at least one value each
  std::optional<double> budget;      // nothing: what the run asked about would cost
  double least = 0.05;               // share of the width below which narrowing is not worth a run
  unsigned threads = 0;              // 0: as many as there are processors; results do not depend on it
  std::function<void(double)> progress;  // called by the calling thread with the share that is done; may be empty
};

struct Run {
  Point point;
  Interval seconds;                  // of one repetition
  Interval cost;
  double width = 0;                  // expected of the answer afterwards
  double narrower = 0;               // 1 - width / width now; below 0: more formulas become possible
};

struct Plan {
  Interval now;
  double width = 0;
  double budget = 0;
  std::vector<Run> runs;             // within the budget and worth it, the best first
  std::vector<Run> beyond;           // as good, but dearer than the budget: the best
  std::size_t considered = 0;        // runs that were tried
  std::size_t too_dear = 0;          // of them beyond the budget
  double best = 0;                   // narrowing of the best within the budget, worth it or not
};

/// First the cheapest of those that narrow at least 0.9 times as much as the best; so on with the rest.
void rank(std::vector<Run>& runs);

/// Fails where a parameter has no allowed value, and where they are more than kMostRuns.
Result<Plan> next_run(const Belief& belief, const Cost& cost, const Question& question);

}  // namespace parcast::plan
