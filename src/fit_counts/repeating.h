// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the parameters that only repeat calls: numbers of iterations. Such a number is hardly ever divided
// among processes, so formulas that divide it cost more bits. docs/models/counts.md, "The family".

#include <cstddef>
#include <vector>

#include "observations/run.h"
#include "observations/traces.h"

namespace parcast::program {

/// By parameter, whether it is a number of iterations. Some call is executed k v + c times by every process
/// that executes it (at three values of v and two process counts at least). In runs that differ in v alone no
/// message grows with v, and no call's growth with v is shared by more processes. Uses the traces marked in
/// `used`, or all if that is empty.
std::vector<bool> repeating(std::size_t parameters, const std::vector<Run>& runs, const Traces& traces,
                            const std::vector<bool>& used = {});

}  // namespace parcast::program
