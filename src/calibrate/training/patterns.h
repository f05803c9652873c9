// SPDX-License-Identifier: Apache-2.0
#pragma once
// The patterns of the training set that all processes take part in: the collectives and the halo exchange.

#include "calibrate/training/cells.h"

namespace parcast::training {

/// Collective. Measures barrier, broadcast, reduce, allreduce, gather, scatter, allgather, alltoall,
/// reduce_scatter, scan and halo2d within `seconds`. The bytes of a point are those that a process
/// contributes to a call: of a broadcast the message; of scatter what each receives; of alltoall and
/// reduce_scatter the whole send buffer; of halo2d the message to one neighbour.
void measure_patterns(Team& team, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
