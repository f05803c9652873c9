// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums over the blocks and loops of a program, used by its table and its JSON.

#include <map>
#include <string>

#include "source/counts/equations.h"

namespace parcast::report {

struct TierShares {
  std::size_t blocks = 0, loops = 0;
  double executions = 0, work = 0;  // fractions of the total
};
/// Returns the shares of the tiers that occur.
std::map<program::CountTier, TierShares> shares_of(const program::ProgramEquations& equations);

/// Returns the operations of a process in a run, by class, and bytes.
std::map<std::string, symbolic::Expression> operations_of(const program::ProgramEquations& equations);

}  // namespace parcast::report
