// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures the tables of a training set with all processes, in the order that the planner of rank 0 chooses
// (planner.h).

#include <vector>

#include "calibrate/training/table.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Collective. All processes pass the same tables, and `into` with the same number of sizes to keep out. Rank
/// 0's `into` receives the points, and what was left out for lack of time.
void measure(Team& team, const std::vector<Table>& tables, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
