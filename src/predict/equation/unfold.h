// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model at one point as a program for the recursion: loops with their trip counts, calls with whom they wait for.

#include "predict/dependence/recursion.h"
#include "predict/equation/compiled.h"
#include "predict/equation/contributions.h"
#include "predict/equation/layout.h"

namespace parcast::predict {

/// `values[contribution][rank]` in seconds over the whole run, `loops[node]` the iterations of each loop over the whole
/// run on the rank that has most, `executions[node][rank]` of calls, `delays[node]` the time from departure to arrival of a chained receive.
struct Unfolding {
  const program::Model* model = nullptr;
  const Layout* layout = nullptr;
  const Contributions* contributions = nullptr;
  const GridExtents* extents = nullptr;
  std::int32_t processes = 1;
  std::vector<std::vector<double>> values;
  std::vector<double> loops;
  std::vector<std::vector<double>> executions;
  std::map<program::NodeId, dependence::Cost> delays;   // per message
};
dependence::Program unfold(const Unfolding& unfolding);

}  // namespace parcast::predict
