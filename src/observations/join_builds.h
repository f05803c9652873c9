// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of several builds of one source, as NPB has one executable per class: docs/models/counts.md, "Several builds".

#include "recording/recording.h"

namespace parcast::program {

/// Places calls by function, file and line, and no longer by their address, so that builds of one source have them in common.
/// Calls of one name on one line become one. Counts of basic blocks are of one build alone: they are dropped. Before the
/// recording is added to RecordedRuns, with its sites resolved. An error where the recording has no debug lines.
Result<void> forget_build(recording::Recording& recording);

}  // namespace parcast::program
