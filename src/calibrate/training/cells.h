// SPDX-License-Identifier: Apache-2.0
#pragma once
// A training set is a list of tables, measured by all processes as the planner of rank 0 says (planner.h).

#include <vector>

#include "calibrate/training/table.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Collective. All processes pass the same tables, and `into` with as many sizes to be kept out; rank 0's gets the points, and what was left out for want of time.
void measure(Team& team, const std::vector<Table>& tables, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
