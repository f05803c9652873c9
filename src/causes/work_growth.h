// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a phase's work per process grows with the parameters and the number of processes.

#include <optional>
#include <string>
#include <vector>

#include "causes/analysis.h"

namespace parcast::causes {

/// The parameters that all runs have, then p; those of one value alone are left out.
std::vector<std::string> argument_names(const Runs& runs);

struct WorkGrowth {
  std::string formula;                   // "2 n^3 p^-1"
  std::vector<std::string> depends_on;
};
/// Nothing where no argument varies, or a sample has no work.
std::optional<WorkGrowth> work_growth(const Runs& runs, const PhaseRelation& relation);

}  // namespace parcast::causes
