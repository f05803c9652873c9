// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures one-sided access: put, get and accumulate with each way of synchronisation.

#include "calibrate/training/cells.h"

namespace parcast::training {

/// Collective; for several processes. Measures within `seconds`, while each process accesses the memory of
/// the next one. Tables are put-, get- and accumulate- (sums of doubles) with a suffix. -fence: the access
/// and MPI_Win_fence. -pscw: post, start, the access, complete, wait. -lock: an exclusive lock, the access,
/// unlock. -flush: the access and a flush, under MPI_Win_lock_all. The bytes of a point are those of the
/// access. Calls that this MPI refuses are left out and listed in one note.
void measure_one_sided(Team& team, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
