// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folded events as part of a trace: what a key's columns say in total, read off their runs without unfolding them.

#include "observations/traces.h"

namespace parcast::program {

/// Adds what a process did at a key in one chapter to its totals there.
void add_folded(const recording::FoldedKey& key, const recording::Recording& recording, const recording::RankRecording& rank,
                CallTotals& totals);

}  // namespace parcast::program
