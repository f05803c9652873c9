// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extracts what recordings of one program measured at each call path, as plain values: for `parcast fit
// A.recording B.recording ...`.

#include <vector>

#include "base/result.h"
#include "fit/measurements.h"
#include "recording/recording.h"

namespace parcast::interchange {

/// The parameters are p and those of the recordings, which must be of one program and have the same
/// parameters. Each recording is a point; recordings of one point are repetitions, in the order of their
/// digests. Call paths are regions ("main->solve"), each without the regions inside it. "-" is what lies
/// outside all regions, and the empty path is the entire program. Metrics:
///
///   seconds   between MPI_Init and MPI_Finalize, in and between calls: mean over ranks
///   longest   the same: maximum over ranks; unit s
///   calls     of MPI: mean over ranks
///   messages  sent point to point: mean over ranks
///   bytes     in these messages and in collectives (docs/decisions/0003): mean over ranks; unit B
///
/// A region that a run did not enter has the value 0 there. A metric that is 0 in every run is left out.
/// Times of several threads are added up in the regions. `warnings`: damage, copies, more processes than
/// cores.
Result<fit::Measurements> measurements_of(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::interchange
