// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two ways to get the blocks that a process needs for its block of C.

#include "blocks.h"
#include "parcast/parcast.h"

namespace matmul {

/// All blocks of the row of A and of the column of B at once.
Block by_broadcast(const Place& place, parcast::Probe& probe);

/// Blocks go round: in each of max(r, c) - 1 steps every process passes its block of A on to the left and that of B up.
/// On square grids each pair that arrives is multiplied and forgotten. On others inner indices are cut differently by A's
/// columns and B's rows: a block waits until all that it meets has come by, and goes on round the shorter side meanwhile.
Block by_cannon(const Place& place, parcast::Probe& probe);

}  // namespace matmul
