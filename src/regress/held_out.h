// SPDX-License-Identifier: Apache-2.0
#pragma once
// Costs judged by runs that they were not fitted to: a whole program left out, or some runs of each.

#include "regress/costs.h"

namespace parcast::regress {

/// The regression of some runs; errors name their file.
Result<statistics::GroupedFit> fit_of(const Runs& runs, const statistics::GroupedOptions& options);

/// What a fit to runs of `programs` says of a run; `classic`, where there is one, gives +- 2 standard errors.
Answer answer_by(const statistics::GroupedFit& fit, const std::vector<std::string>& programs, const statistics::GroupedFit* classic, const Run& run, const Options& options);

/// Each program in turn, where there are two or more; every run in turn, in tenths.
void hold_out(Costs& costs);

}  // namespace parcast::regress
