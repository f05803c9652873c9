// SPDX-License-Identifier: Apache-2.0
#pragma once
// Validates costs with held-out runs: an entire program, or some runs of each.

#include "regress/costs.h"

namespace parcast::regress {

/// Fits some runs; errors name their file.
Result<statistics::GroupedFit> fit_of(const Runs& runs, const statistics::GroupedOptions& options);

/// Predicts a run by a fit to runs of `programs`; `classic`, if not null, gives +- 2 standard errors.
Answer answer_by(const statistics::GroupedFit& fit, const std::vector<std::string>& programs,
                 const statistics::GroupedFit* classic, const Run& run, const Options& options);

/// Holds out each program in turn, if there are at least two; and every run in turn, in tenths.
void hold_out(Costs& costs);

}  // namespace parcast::regress
