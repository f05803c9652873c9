// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why a run narrows an answer: formulas that it tells apart, a shorter way beyond the data, or noise that it averages.

#include <optional>
#include <string>

#include "plan/fitted.h"

namespace parcast::plan {

/// Two formulas that go apart at the point asked about, and what each says at the run.
struct Separation {
  std::string one, other;                   // the likelier first
  double one_weight = 0, other_weight = 0;  // of the mixture, each with all formulas of the same terms
  double one_value = 0, other_value = 0;    // at the run
  double apart = 0;                         // there, in standard deviations of a point about its formula
};

struct Reasons {
  std::optional<Separation> separates;      // nothing: the run tells no formulas apart that matter
  double beyond_before = 0, beyond_after = 0;  // doublings from the data to what is asked, without and with the run
  bool repeats = false;                     // a point that was measured already
};

Reasons reasons_for(const Fitted& fitted, const Point& run, const Point& asked);

}  // namespace parcast::plan
