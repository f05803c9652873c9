// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text for a step of the program, for errors and assumptions.

#include <string>

#include "model/structure.h"

namespace parcast::program {

/// Returns "MPI_Send (main.cpp:12, in main/solve)"; the kind of operation if the place is unknown.
std::string describe_step(trace::Kind kind, recording::Pattern pattern, const trace::Place* place);

/// Returns the same for a step; for a loop its first operation.
std::string name_of_step(const Structure& structure, const Step& step);

}  // namespace parcast::program
