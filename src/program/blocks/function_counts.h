// SPDX-License-Identifier: Apache-2.0
#pragma once
// Executions of the blocks of one function per visit, from the flow through its graph: from the outside to
// the inside, each block per round of the loop around it. docs/models/source_counts.md.

#include <map>
#include <optional>
#include <vector>

#include "program/blocks/block_counts.h"
#include "program/blocks/function_flows.h"
#include "program/blocks/recognition.h"

namespace parcast::program {

/// An expression and how sure it is; what is made of several is as sure as the least sure of them.
struct Told {
  symbolic::Expression value;
  CountTier tier = CountTier::symbolic;
  double bits = 0;  // of measured ones: that it costs to say how they grow (CountGrowth)
};
Told operator*(const Told& a, const Told& b);
Told operator+(const Told& a, const Told& b);

/// What all functions of a place share.
struct Surroundings {
  const facts::LinkedProgram& program;
  const BlockCounts::InputSymbols& symbols;
  std::function<Recognition&(const std::vector<const Sighting*>&)> recognition;  // of these sightings
  std::optional<symbolic::Expression> visits;  // of the place, where they are known as an expression
  std::map<const Sighting*, double> whole;  // executions of all blocks together that each run has
};

/// `calls`: executions of the blocks that call it, per visit, where these are all that do. `flows`: by
/// sighting.
PlaceCounts function_counts(const Surroundings& surroundings, facts::FunctionPlace place,
                            const std::vector<const Sighting*>& sightings, std::vector<Flows> flows,
                            const std::optional<Told>& calls);

}  // namespace parcast::program
