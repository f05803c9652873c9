// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reasons why a run narrows an answer: it separates formulas, shortens the extrapolation, or averages
// noise.

#include <optional>
#include <string>

#include "plan/fitted.h"

namespace parcast::plan {

/// Two formulas that differ at the point in question, and the value of each at the run.
struct Separation {
  std::string one, other;                   // the more likely first
  double one_weight = 0, other_weight = 0;  // in the mixture, each including all formulas with the same terms
  double one_value = 0, other_value = 0;    // at the run
  double apart = 0;  // difference there, in standard deviations of a point about its formula
};

struct Reasons {
  std::optional<Separation> separates;  // nothing: the run separates no formulas that matter
  // doublings from the data to the point in question, without and with the run
  double beyond_before = 0, beyond_after = 0;
  bool repeats = false;  // the point was measured already
};

Reasons reasons_for(const Fitted& fitted, const Point& run, const Point& asked);

}  // namespace parcast::plan
