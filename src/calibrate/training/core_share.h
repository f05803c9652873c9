// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace parcast::training {

/// The share of a core that a computing process gets: `part` of each `period` (seconds). 1 and 0 if it gets
/// about the entire core (docs/models/core_share.md).
struct CoreShare {
  double part = 1, period = 0;
};

/// Collective. Returns the smallest part and period over the processes, from `seconds` of computing. From .9
/// on it counts as an entire core.
CoreShare share_of_core(MPI_Comm processes, double seconds);

}  // namespace parcast::training
