// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks on recordings before one model is built from them: their common properties, and notices about each.

#include <string>
#include <vector>

#include "model/model.h"
#include "observations/run.h"

namespace parcast::program {

struct Inputs {
  std::vector<std::size_t> order;       // recordings by process count, parameters, digest
  std::vector<std::string> parameters;  // without p
  std::vector<Run> runs;                // by recording index
  std::vector<ProcessGrid> grids;       // Cartesian topologies of all processes
  std::vector<Source> sources;          // in `order`
  std::vector<Notice> notices;          // about damage
};

/// Returns text such as "jacobi (p = 4, N = 100)".
std::string describe(const recording::Recording& recording);

/// Returns whether a part of the run is missing.
bool is_damaged(const recording::Recording& recording);
/// Returns whether a whole run ended with an exit code other than 0.
bool has_failed(const recording::Recording& recording);

Result<Inputs> check_inputs(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
