// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures how much of a nonblocking collective progresses while its processes compute.

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Collective; for several processes. Measures within `seconds` the value allreduce_overlap
/// (calibrate::overlap_of) for MPI_Iallreduce with 64 KiB of doubles. The computing between its start and its
/// wait takes as long as the call alone.
void measure_allreduce_overlap(Team& team, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
