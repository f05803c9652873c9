// SPDX-License-Identifier: Apache-2.0
#pragma once
// Suggests the run or measurement that would narrow an answer most.

#include "explain/explain.h"
#include "predict/equation/solve.h"

namespace parcast::explain {

/// Derives advice from the share of each term in the interval (predict::Uncertainty::shares) and the
/// machine's own errors.
std::vector<Advice> advise(const program::Model& model, const predict::Question& question,
                           const predict::Solution& solution, const std::vector<double>& interval_shares,
                           const std::vector<ParameterWeight>& sensitivities, const predict::Estimate& total);

}  // namespace parcast::explain
