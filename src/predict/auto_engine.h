// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine `auto`: the equation where it agrees with the run followed rank by rank, else that run. docs/models/agreement.md.
//
// The equation is a closed form: it is fast, and its interval holds all that the model leaves open. But it assumes that one rank is the slowest
// between two calls of all ranks. Where ranks take turns it loses the waits. So both are compared at the point asked for, under the same
// assumptions: computing without noise, no cache that overflows.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "predict/hang.h"
#include "predict/prediction.h"

namespace parcast::predict {

const Engine& auto_engine();

/// The closed form beside the interpreted run at one point.
struct ClosedFormCheck {
  std::shared_ptr<const Hang> hang;     // the run never ends; then nothing below has a meaning
  double closed = 0, interpreted = 0;   // seconds, without noise
  bool agrees = false;
  std::string unchecked;                // why the run could not be followed; empty: it was
};
/// An error only where the equation itself has no answer.
Result<ClosedFormCheck> check_closed_form(const program::Model& model, const machine::Machine& machine, const Question& question);

/// Points of many at which the closed form is compared.
inline constexpr std::size_t kMostChecked = 16;

/// Which engine answers many points of one model on one machine that name none.
struct ManyPointsChoice {
  bool by_equation = false;         // it agreed wherever it was compared; else each point is checked by itself
  std::optional<Warning> warning;   // at how many of the points it was compared
};
/// Up to kMostChecked points: each by itself. Of more, that many are compared, evenly spaced, the first and the last among them.
ManyPointsChoice choose_for_many(const program::Model& model, const machine::Machine& machine, std::span<const Question> questions);

}  // namespace parcast::predict
