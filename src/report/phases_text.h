// SPDX-License-Identifier: Apache-2.0
#pragma once
// The phases that a program marked, with the distribution of the time of all its processes over them.
//
//   phase          executions    ms  share  operations  quantums
//   computation             4  12.1    60%     125,000         0
//     multiply              4  12.1    60%     125,000         0
//   idle                    2  8.00    40%           0         0
//     end                   2  8.00    40%           0         0

#include <string_view>

#include "recording/recording.h"
#include "report/style.h"

namespace parcast::report {

/// Returns "computation", "communication" or "idle".
std::string_view name_of(recording::PhaseKind kind);
/// Returns sums over all ranks, by kind and name; empty if the program marked no phases.
std::string phases_table(const recording::Recording& recording, const Style& style);

}  // namespace parcast::report
