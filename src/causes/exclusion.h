// SPDX-License-Identifier: Apache-2.0
#pragma once
// Excludes other reasons why a variable removes a break: chance; an effect of the time instead of its cause;
// a proxy that leaves scatter; no better than a plain change of cost. A variable enters a relation only if
// all are excluded.

#include <optional>
#include <span>
#include <vector>

#include "causes/refine.h"

namespace parcast::causes {

/// A broken relation, to which all explanations are compared. Their residuals are comparable because all use
/// its weights.
struct Broken {
  std::span<const Sample> samples;
  const Linearity& first_order;
  const std::optional<TwoBreaks>& twice;
  const BreakOptions& options;  // as requested
  BreakOptions remaining;       // for finding a remaining break: a true cause is rejected at this level

  /// Returns options for the best break, whatever its probability, or for none.
  BreakOptions any_break() const;
  BreakOptions no_break() const;
};

/// Returns options with the weights of the relation without a cause, and a fraction of the level.
BreakOptions remaining_options(const Linearity& first_order, const BreakOptions& options);

/// Returns 2 ln of the likelihood ratio of two relations with equally many costs, from their residuals.
double log_ratio(double worse, double better, std::size_t samples);

/// Returns why a variable cannot be a cause at all: not measured, never changing, or proportional to the
/// work.
std::optional<Verdict> unfit(const Broken& broken, const Candidate& candidate);

/// Returns whether the amounts are proportional to the time, more closely than to the work. A cause
/// proportional to the time would leave the time proportional to the work.
bool follows_time(const Broken& broken, const Column& amounts);

/// Judges one variable, whose relation is `with`.
Verdict verdict_on_one(const Broken& broken, const Column& column, const Linearity& with,
                       std::size_t candidates);

/// Judges two variables, whose relation without a break is `with`. `beside` is the smaller residual of one of
/// them plus a plain break. The costly search for a remaining break runs only if all other criteria hold;
/// `p_value` gets its probability.
Verdict verdict_on_pair(const Broken& broken, std::span<const Column> columns, const Linearity& with,
                        std::size_t pairs, double beside, double& p_value);

/// Returns the relation with one variable and the best plain break.
std::optional<Linearity> beside_break(const Broken& broken, const Column& column);

/// Returns whether both are needed, and no other break is left.
bool explains_part(const Broken& broken, const Column& column, const Linearity& with, std::size_t candidates);

}  // namespace parcast::causes
