// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner answer of the equation engine: contributions on the slowest rank of every interval. The recursion
// evaluates what the closed form leaves open. All answers of the engine are made of these.

#include <memory>
#include <span>

#include "predict/equation/plan.h"
#include "predict/equation/ranks.h"
#include "symbolic/expression.h"

namespace parcast::predict {

struct Solution {
  std::shared_ptr<const Plan> plan;
  // Candidates for the slowest rank; of ranks that take equally long at each place, the first.
  std::vector<std::int32_t> candidates;
  std::vector<IntervalTime> intervals;  // in the order of Plan::intervals
  std::vector<std::size_t> chosen;      // candidate of each contribution
  std::vector<TermValue> terms;         // one per contribution, then those of filling and correction
  // By candidate: the columns of Plan::details. Empty for candidates that are slowest in no interval, except
  // the first.
  std::vector<std::vector<double>> details;
  std::vector<Warning> warnings;
  std::optional<program::Notice> notice;  // of the plan's corrections
  double seconds = 0;                     // sum of the terms' values
};
/// Common to all points of one process count.
struct Layer {
  GridExtents extents;
  std::vector<std::int32_t> candidates;
};
/// Returns the solutions of questions that share the plan, in their order. They do not depend on each other.
std::vector<Result<Solution>> solve(const std::shared_ptr<const Plan>& plan,
                                    std::span<const Question* const> questions);

/// Fails for a model without calls and segments.
Result<void> check_not_empty(const program::Model& model);

/// A solution with formulas.
struct SolvedFormulas : Solution {
  std::vector<symbolic::Expression> formulas;  // of each term, on its rank
  std::vector<symbolic::Binding> bindings;     // of each candidate, with machine costs
};
/// Solves one question. Model and machine must outlive the solution.
Result<SolvedFormulas> solve(const program::Model& model, const machine::Machine& machine,
                             const Question& question);
/// The same without formulas, and without what intervals need.
Result<Solution> solve_values(const program::Model& model, const machine::Machine& machine,
                              const Question& question);

/// Limits of ranks and steps for evaluating the recursion when there is no closed form.
constexpr std::int32_t kRecursionRanks = 4096;
constexpr std::int64_t kRecursionSteps = 20'000'000;
/// Gap between both bounds, as a fraction, below which no recursion is needed.
constexpr double kClosedWithin = 1e-9;

}  // namespace parcast::predict
