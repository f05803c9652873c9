// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two ways to get the blocks that a process needs for its block of C.

#include "blocks.h"
#include "parcast/parcast.h"

namespace matmul {

/// Gets all blocks of the row of A and of the column of B at once.
Block by_broadcast(const Place& place, parcast::Probe& probe);

/// Rotates blocks: in each of max(r, c) - 1 steps every process passes its block of A to the left and that of
/// B upwards. On square grids each arriving pair is multiplied and dropped. On others, A's columns and B's
/// rows divide the inner indices differently. So a block stays until it has met all its partners, and keeps
/// moving on the shorter side.
Block by_cannon(const Place& place, parcast::Probe& probe);

}  // namespace matmul
