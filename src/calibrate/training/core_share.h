// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace parcast::training {

/// What a process that computes has of a core: `part` of each `period` (seconds); 1 and 0 where that is about all (docs/models/core_share.md).
struct CoreShare {
  double part = 1, period = 0;
};

/// Collective. The smaller of the processes' parts and periods, by `seconds` of computing; a whole core from .9 on.
CoreShare share_of_core(MPI_Comm processes, double seconds);

}  // namespace parcast::training
