// SPDX-License-Identifier: Apache-2.0
#pragma once
// A step of the program in words, for errors and assumptions.

#include <string>

#include "model/structure.h"

namespace parcast::program {

/// "MPI_Send (main.cpp:12, in main/solve)"; what it does where the place is not known.
std::string describe_step(trace::Kind kind, recording::Pattern pattern, const trace::Place* place);

/// The same of a step; of a loop the first operation in it.
std::string name_of_step(const Structure& structure, const Step& step);

}  // namespace parcast::program
