// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of a nonblocking collective goes on while its processes compute.

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Collective; of several processes. Measures within `seconds` the value allreduce_overlap (calibrate::overlap_of) of MPI_Iallreduce with
/// 64 KiB of doubles, the computing between its start and its wait as long as the call alone.
void measure_allreduce_overlap(Team& team, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
