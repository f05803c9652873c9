// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of several builds of one source, as NPB has one executable per class.

#include "recording/recording.h"

namespace parcast::program {

/// Identifies calls by function, file and line instead of their address, so that builds of one source share
/// them. Calls of one name on one line become one. Counts of basic blocks belong to one build, so they are
/// dropped. The caller resolves the recording's sites first, and adds it to RecordedRuns afterwards. Returns
/// an error if the recording has no debug lines.
Result<void> forget_build(recording::Recording& recording);

}  // namespace parcast::program
