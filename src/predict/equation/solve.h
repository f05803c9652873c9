// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner answer of the equation engine: contributions on the slowest rank of every interval. The recursion
// evaluates what the closed form leaves open. build_equation, predict, sensitivities and the slow path of a
// sweep use it.

#include "predict/equation/compiled.h"
#include "predict/equation/ranks.h"
#include "symbolic/expression.h"

namespace parcast::predict {

struct Solution {
  Layout layout;
  Contributions contributions;
  std::vector<std::int32_t> candidates;
  std::vector<IntervalTime> intervals;
  std::vector<std::size_t> chosen;         // candidate of each contribution
  std::vector<Term> terms;                 // one per contribution, then those of filling and correction
  std::vector<symbolic::Binding> bindings; // of each candidate, with machine costs
  std::vector<Warning> warnings;
  double seconds = 0;                      // sum of the terms' values
};
Result<Solution> solve(const program::Model& model, const machine::Machine& machine, const Question& question);

/// Filling time of pipelines: hops x (the time of one stage + a message's flight), once per interval.
struct Filling {
  program::NodeId loop = program::kNone;    // the loop whose body is the stage
  program::NodeId receive = program::kNone; // the receive that precedes its send
  program::NodeId interval = program::kNone;
  symbolic::Expression seconds;             // with rank symbols
};
std::vector<Filling> fillings(const program::Model& model, const Contributions& contributions, const machine::Machine& machine,
                              const Layout& layout);

/// Returns what a chained receive waits for in addition to its sender: the flight of one message.
MessageCost flight_of_one(const program::Model& model, const machine::Machine& machine, const std::string& link,
                          program::NodeId receive);

/// Limits of ranks and steps for evaluating the recursion when there is no closed form.
constexpr std::int32_t kRecursionRanks = 4096;
constexpr std::int64_t kRecursionSteps = 20'000'000;
/// Gap between both bounds, as a fraction, below which no recursion is needed.
constexpr double kClosedWithin = 1e-9;

}  // namespace parcast::predict
