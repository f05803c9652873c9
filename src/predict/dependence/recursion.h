// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines dependence: a rank's next event time = max(its own time, the arrivals it waits for) + cost. It is
// evaluated in numbers on a folded program: an ordered tree of steps through which all ranks proceed, each at
// its own pace. docs/models/dependence.md has the semantics of every step and the proof that folding is
// exact.
//
// A loop is not unrolled. Iterations are evaluated until the winners of all maxima and the increments repeat.
// From there time is linear in the iteration, and the loop jumps to the iteration where the first winner
// would change.

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
  local,      // computing, or a call that does not wait
  send,       // sends one message to each partner after its cost
  receive,    // waits for one message from each partner
  exchange,   // waits until its partners have entered the same step
  global,     // waits until all ranks have entered it
  from_root,  // waits until the root has entered it
  to_root,    // the root waits until all ranks have entered it
  loop,       // repeats `body` `trips` times
};

/// Activity of ranks at one place of the program. `cost` and `delay` have one entry per rank, or one for all.
struct Step {
  StepKind kind = StepKind::local;
  std::string label;                                // for errors
  std::vector<Cost> cost{Cost{}};                   // after the wait
  std::vector<Cost> delay{Cost{}};                  // receive: from the sender's departure to the arrival
  std::vector<std::vector<std::int32_t>> partners;  // per rank; empty: none
  std::int32_t channel = 0;  // send, receive: messages match per (sender, receiver, channel), in order
  std::int32_t root = 0;     // from_root, to_root
  bool cyclic_root = false;  // the k-th execution has root (k + root) mod ranks
  std::int64_t trips = 0;    // loop
  std::vector<Step> body;    // loop
};

struct Program {
  std::int32_t ranks = 1;
  std::vector<Step> steps;
};

/// The end of a rank, and its time until then: end = compute + startup + transfer + wait, in this order of
/// summation.
struct RankTime {
  double end = 0;
  double compute = 0, startup = 0, transfer = 0, wait = 0;
};

struct Evaluation {
  std::vector<RankTime> ranks;
  std::int64_t evaluated_steps = 0;  // steps of ranks that were evaluated, not folded
  std::int32_t slowest() const;      // returns the first rank with the latest end
};

struct Limits {
  std::int64_t rank_steps = 400'000'000;
  bool fold = true;  // false: every iteration is evaluated
};

/// Fails when ranks wait for each other in a cycle, or when a program is too long for the limits. Fails also
/// when a program is inconsistent (a partner out of range, costs for another number of ranks).
Result<Evaluation> evaluate(const Program& program, const Limits& limits = {});

}  // namespace parcast::dependence
