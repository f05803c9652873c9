// SPDX-License-Identifier: Apache-2.0
#pragma once
// What references of a function touch in the nests of loops around them: docs/models/memory.md, (6).

#include <functional>
#include <vector>

#include "source/counts/block_counts.h"
#include "source/counts/count_parts.h"
#include "source/counts/function_flows.h"
#include "source/counts/told.h"

namespace parcast::program {

/// A function's loops, counted. All live longer.
struct CountedLoops {
  const Surroundings& around;
  const facts::FunctionPlace place;
  const FunctionFlows& graph;
  const std::vector<const Sighting*>& sightings;
  const std::vector<Told>& entry;       // of each loop, per round of the loop around
  const std::vector<Told>& iterations;  // per entry
  std::function<std::vector<Told>(facts::NodeNumber, int)> expressions_of;  // a node in the rounds of a loop and those around it, the best first
  std::function<Told(int, Told)> total;                                     // of what is done so often per round of a loop, per visit
};

/// Adds what the reference touches in each loop around it; of one array in a loop the larger portion stays.
void add_sweeps(const CountedLoops& loops, const facts::Reference& reference, std::vector<Sweep>& sweeps);

}  // namespace parcast::program
