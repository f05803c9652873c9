// SPDX-License-Identifier: Apache-2.0
#pragma once
// One-sided access: put, get and accumulate by each way to synchronise it.

#include "calibrate/training/cells.h"

namespace parcast::training {

/// Collective; of several processes. Measures within `seconds`, each process accessing the memory of the next at the same time:
/// put-, get- and accumulate- (sums of doubles) with -fence (the access and MPI_Win_fence), -pscw (post, start, the access, complete, wait), -lock (an
/// exclusive lock, the access, unlock) and -flush (the access and a flush, under MPI_Win_lock_all). The bytes of a point are those
/// of the access. What this MPI refuses is left out, and said in one note.
void measure_one_sided(Team& team, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
