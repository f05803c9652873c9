// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folded events as part of a trace: totals of a key's columns, computed from their runs without unfolding.

#include "observations/traces.h"

namespace parcast::program {

/// Adds the totals of a process at a key in one chapter.
void add_folded(const recording::FoldedKey& key, const recording::Recording& recording,
                const recording::RankRecording& rank, CallTotals& totals);

}  // namespace parcast::program
