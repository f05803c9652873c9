// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extents of process grids that no recording shows, from the partners of messages: with rank = y*px + x, a
// message to the next row goes px ranks further. docs/models/structure.md.

#include <vector>

#include "model/model.h"
#include "structure/tokens.h"

namespace parcast::program {

/// Grids of two and of three dimensions, each where for every recorded p some extents make all partners
/// neighbours. Of several extents at one p it takes those with which calls exchange along the same dimensions
/// as at other p. A grid that equals MPI_Dims_create's at all p is left out, and so is its reverse.
std::vector<ProcessGrid> inferred_grids(const std::vector<TracedRun>& runs);

}  // namespace parcast::program
