// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computes the bytes that references of a function access in the enclosing loops: docs/models/memory.md, (6).

#include <functional>
#include <vector>

#include "source/counts/block_counts.h"
#include "source/counts/count_parts.h"
#include "source/counts/function_flows.h"
#include "source/counts/source_count.h"

namespace parcast::program {

/// The loops of a function with their counts. All referenced objects must outlive this.
struct CountedLoops {
  const Surroundings& around;
  const facts::FunctionPlace place;
  const FunctionFlows& graph;
  const std::vector<const Sighting*>& sightings;
  const std::vector<SourceCount>& entry;       // of each loop, per round of the enclosing loop
  const std::vector<SourceCount>& iterations;  // per entry
  // returns expressions for a node in the rounds of a loop and its enclosing loops, best first
  std::function<std::vector<SourceCount>(facts::NodeNumber, int)> expressions_of;
  std::function<SourceCount(int, SourceCount)>
      total;  // returns the amount per visit, from the amount per round of a loop
};

/// Adds the bytes accessed by the reference in each enclosing loop. For each loop and array only the larger
/// portion is kept.
void add_sweeps(const CountedLoops& loops, const facts::Reference& reference, std::vector<Sweep>& sweeps);

}  // namespace parcast::program
