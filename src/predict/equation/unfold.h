// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts the model at one point into a program for the recursion: loops with trip counts, calls with their
// partners.

#include "predict/dependence/recursion.h"
#include "predict/equation/compiled.h"
#include "predict/equation/contributions.h"
#include "predict/equation/layout.h"

namespace parcast::predict {

/// `values[contribution][rank]` are seconds over the complete run. `loops[node]` is the number of iterations
/// of each loop over the run, on the rank with the most. `executions[node][rank]` is the number of executions
/// of calls. `delays[node]` is the time from departure to arrival for a chained receive.
struct Unfolding {
  const program::Model* model = nullptr;
  const Layout* layout = nullptr;
  const Contributions* contributions = nullptr;
  const GridExtents* extents = nullptr;
  std::int32_t processes = 1;
  std::vector<std::vector<double>> values;
  std::vector<double> loops;
  std::vector<std::vector<double>> executions;
  std::map<program::NodeId, dependence::Cost> delays;  // per message
};
dependence::Program unfold(const Unfolding& unfolding);

}  // namespace parcast::predict
