// SPDX-License-Identifier: Apache-2.0
#pragma once
// Process grids that a program may have, where no recording shows a Cartesian communicator: those of parameters that multiply to
// the number of processes in every recording ("-i 2 -j 2"), those of MPI_Dims_create, and those with the largest extent last.
// Which of them it is, the order of its messages decides (structure/find.h). docs/models/structure.md.

#include <vector>

#include "model/model.h"
#include "observations/run.h"

namespace parcast::program {

/// In the order in which they are tried; at least one. `runs` have parameters in the order of the model's names.
std::vector<std::vector<ProcessGrid>> grid_candidates(const std::vector<Run>& runs, const std::vector<ProcessGrid>& recorded);

}  // namespace parcast::program
