// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which run or measurement would narrow an answer most.

#include "explain/explain.h"
#include "predict/equation/solve.h"

namespace parcast::explain {

/// From the shares that each term has in the interval (predict::Uncertainty::shares) and the machine's own errors.
std::vector<Advice> advise(const program::Model& model, const predict::Question& question, const predict::Solution& solution,
                           const std::vector<double>& interval_shares, const std::vector<ParameterWeight>& sensitivities,
                           const predict::Estimate& total);

}  // namespace parcast::explain
