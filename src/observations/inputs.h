// SPDX-License-Identifier: Apache-2.0
#pragma once
// What recordings must have in common before one model is made of them, and what is said about each.

#include <string>
#include <vector>

#include "model/model.h"
#include "observations/run.h"

namespace parcast::program {

struct Inputs {
  std::vector<std::size_t> order;         // recordings by process count, parameters, digest
  std::vector<std::string> parameters;    // without p
  std::vector<Run> runs;                  // by recording index
  std::vector<ProcessGrid> grids;         // Cartesian topologies of all processes
  std::vector<Source> sources;            // in `order`
  std::vector<Notice> notices;            // about damage
};

/// "jacobi (p = 4, N = 100)".
std::string describe(const recording::Recording& recording);

/// Whether something of the run is missing.
bool is_damaged(const recording::Recording& recording);

Result<Inputs> check_inputs(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
