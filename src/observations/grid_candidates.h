// SPDX-License-Identifier: Apache-2.0
#pragma once
// Process grids that a program may have if no recording contains a Cartesian communicator. These are grids of
// parameters whose product is the number of processes in every recording ("-i 2 -j 2"), those of
// MPI_Dims_create, and those with the largest extent last. The order of the program's messages decides
// between them (structure/find.h). docs/models/structure.md.

#include <vector>

#include "model/model.h"
#include "observations/run.h"

namespace parcast::program {

/// Returns the grids in the order in which they are tried; at least one. `runs` have parameters in the order
/// of the model's names.
std::vector<std::vector<ProcessGrid>> grid_candidates(const std::vector<Run>& runs,
                                                      const std::vector<ProcessGrid>& recorded);

}  // namespace parcast::program
