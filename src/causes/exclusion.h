// SPDX-License-Identifier: Apache-2.0
#pragma once
// What else a variable that takes a break away could be: chance, an effect of the time instead of its cause, a proxy that leaves
// scatter behind, or no better than a plain change of cost. A variable enters a relation only where none of it holds.

#include <optional>
#include <span>
#include <vector>

#include "causes/refine.h"

namespace parcast::causes {

/// A broken relation, with which all explanations of it are compared. Their residuals are comparable, since all have its weights.
struct Broken {
  std::span<const Sample> samples;
  const Linearity& first_order;
  const std::optional<TwoBreaks>& twice;
  const BreakOptions& options;   // as asked for
  BreakOptions remaining;        // by which a break that is left is looked for: a true cause is turned down at this level

  /// The same, with the best break whatever its probability, or with none.
  BreakOptions any_break() const;
  BreakOptions no_break() const;
};

/// By the weights of the relation without a cause, and at a part of the level.
BreakOptions remaining_options(const Linearity& first_order, const BreakOptions& options);

/// 2 ln of how much likelier one relation is than another of as many costs, by their residuals.
double log_ratio(double worse, double better, std::size_t samples);

/// Why a variable is none from the outset: not measured, never changing, or in one proportion to the work.
std::optional<Verdict> unfit(const Broken& broken, const Candidate& candidate);

/// Amounts in proportion to the time, closer than to the work: a cause in proportion to the time would leave it in proportion to the work.
bool follows_time(const Broken& broken, const Column& amounts);

/// Of one variable, whose relation is `with`.
Verdict verdict_on_one(const Broken& broken, const Column& column, const Linearity& with, std::size_t candidates);

/// Of two, whose relation without a break is `with`; `beside` is the least residual of one of them beside a plain break. Looks for a break that is left only where all else is
/// well; its probability is left in `p_value`.
Verdict verdict_on_pair(const Broken& broken, std::span<const Column> columns, const Linearity& with, std::size_t pairs, double beside, double& p_value);

/// The relation with one variable and the best plain break.
std::optional<Linearity> beside_break(const Broken& broken, const Column& column);

/// Whether both are needed, and nothing else is left.
bool explains_part(const Broken& broken, const Column& column, const Linearity& with, std::size_t candidates);

}  // namespace parcast::causes
