// SPDX-License-Identifier: Apache-2.0
#pragma once
// A second opinion on a predicted time: the recorded times of whole runs, continued without a model of the
// program. docs/models/checks.md, "The recorded times alone".

#include <optional>

#include "predict/prediction.h"

namespace parcast::predict {

/// Returns the seconds that a fit of the recorded times gives at the prediction's point (fit/fit.h). Returns
/// nothing for another machine, or for several nodes of several cores. Returns nothing with fewer than six
/// undisturbed recordings, if they do not vary a parameter, or for a larger p with fewer than three values.
std::optional<Estimate> continue_totals(const program::Model& model, const machine::Machine& machine,
                                        const Prediction& prediction);

/// Sets the prediction's `of_totals`, and warns if it and the prediction have no value in common.
void compare_with_totals(const program::Model& model, const machine::Machine& machine,
                         Prediction& prediction);

}  // namespace parcast::predict
