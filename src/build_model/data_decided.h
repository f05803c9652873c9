// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts that the program's data decide: the rounds of a loop until it has converged. A number that was the
// same in all recordings is no evidence for other sizes. docs/models/counts.md, "Loops that data decide".

#include <span>

#include "model/model.h"

namespace parcast::program {

/// Returns a number, constant or one of several formulas that fit, as a constant count with alternatives for
/// other values of parameters that never varied; any other count as it is. Rounds
/// until convergence grow with the points along a side of a grid (conjugate gradients, over-relaxation) or
/// with their square (Jacobi, Gauss-Seidel), and may fall: alternatives are count x (v / recorded v)^2 and
/// count / (v / recorded v), of each such parameter and of all of them together.
Count with_unvaried_sizes(Count count, std::span<const Parameter> parameters);

/// A loop that data decide, with its share of the computing.
struct DataDecided {
  NodeId loop = kNone;
  std::string name;  // "the loop at gs.c:12"; without a known line "the loop around MPI_Recv", its first call
  double share = 0;
};

/// Returns the outermost loops with counts that no formula gives, with at least a hundredth of the computing.
std::vector<DataDecided> data_decided_loops(const Model& model);

}  // namespace parcast::program
