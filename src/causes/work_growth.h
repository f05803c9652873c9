// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fits the growth of a phase's work per process with the parameters and the number of processes.

#include <optional>
#include <string>
#include <vector>

#include "causes/analysis.h"

namespace parcast::causes {

/// Returns the parameters that all runs have, then p, without those that have only one value.
std::vector<std::string> argument_names(const Runs& runs);

struct WorkGrowth {
  std::string formula;  // e.g. "2 n^3 p^-1"
  std::vector<std::string> depends_on;
};
/// Returns nothing if no argument varies, or if a sample has no work.
std::optional<WorkGrowth> work_growth(const Runs& runs, const PhaseRelation& relation);

}  // namespace parcast::causes
