// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one meaning of dependence: a rank's next event time = max(its own time, the arrivals it waits for) + cost. Here it
// is evaluated in numbers on a folded program: an ordered tree of steps that all ranks walk, each at its own pace.
// docs/models/dependence.md has the semantics of every step and the proof that folding is exact.
//
// A loop is not unrolled. Iterations are evaluated until the winners of all maxima and the increments repeat; from
// there time is linear in the iteration, and the loop jumps to where the first winner would change.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::dependence {

/// Seconds of one step.
struct Cost {
  double compute = 0, startup = 0, transfer = 0;
  double total() const { return compute + startup + transfer; }
};

enum class StepKind {
  local,      // computing, or a call that waits for nobody
  send,       // leaves one message for each partner when its cost is over
  receive,    // waits for one message of each partner
  exchange,   // waits until its partners have entered this same step
  global,     // waits until all ranks have entered it
  from_root,  // waits until the root has entered it
  to_root,    // the root waits until all ranks have entered it
  loop,       // repeats `body` `trips` times
};

/// What ranks do at one place of the program. `cost` and `delay` hold one entry per rank, or one for all.
struct Step {
  StepKind kind = StepKind::local;
  std::string label;                                // for errors
  std::vector<Cost> cost{Cost{}};                   // after the wait
  std::vector<Cost> delay{Cost{}};                  // receive: from the sender's departure to the arrival
  std::vector<std::vector<std::int32_t>> partners;  // per rank; empty: none
  std::int32_t channel = 0;       // send, receive: messages match per (sender, receiver, channel), in order
  std::int32_t root = 0;          // from_root, to_root
  bool cyclic_root = false;       // the k-th execution has root (k + root) mod ranks
  std::int64_t trips = 0;         // loop
  std::vector<Step> body;         // loop
};

struct Program {
  std::int32_t ranks = 1;
  std::vector<Step> steps;
};

/// When a rank ends, and what it did until then: end = compute + startup + transfer + wait, in this order of summation.
struct RankTime {
  double end = 0;
  double compute = 0, startup = 0, transfer = 0, wait = 0;
};

struct Evaluation {
  std::vector<RankTime> ranks;
  std::int64_t evaluated_steps = 0;  // rank-steps that were really evaluated
  std::int32_t slowest() const;      // the first rank with the latest end
};

struct Limits {
  std::int64_t rank_steps = 400'000'000;
  bool fold = true;  // false: every iteration is evaluated
};

/// An error when ranks wait for each other in a circle, when a program contradicts itself (a partner out of range,
/// costs of another number of ranks), or when it is too long for the limits.
Result<Evaluation> evaluate(const Program& program, const Limits& limits = {});

}  // namespace parcast::dependence
