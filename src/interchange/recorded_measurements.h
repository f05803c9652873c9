// SPDX-License-Identifier: Apache-2.0
#pragma once
// What recordings of one program measured, place by place, as values alone: for `parcast fit A.recording B.recording ...`.

#include <vector>

#include "base/result.h"
#include "fit/measurements.h"
#include "recording/recording.h"

namespace parcast::interchange {

/// Parameters are p and those of the recordings (which must be of one program, with the same parameters). Each recording is a
/// point, recordings of one point are repetitions, in the order of their digests. Call paths are the regions' ("main->solve"),
/// each without the regions inside; "-" is what stands in no region, and the empty path the whole program. Metrics:
///
///   seconds   between MPI_Init and MPI_Finalize, in and between calls: mean over ranks
///   longest   the same: largest of any rank; unit s
///   calls     of MPI: mean over ranks
///   messages  sent point to point: mean over ranks
///   bytes     in these, and of collectives as docs/decisions/0003 counts them: mean over ranks; unit B
///
/// A region that a run did not enter has 0 there; what is 0 in every run is left out. With several threads, their times add up
/// in the regions. `warnings`: damage, copies, more processes than cores.
Result<fit::Measurements> measurements_of(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::interchange
