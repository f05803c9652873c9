// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the ranks of a loop (or of the whole program) depend on each other, read off its calls: what closed form holds.
// docs/models/dependence.md proves the closed forms.

#include <string>
#include <vector>

#include "model/model.h"

namespace parcast::dependence {

enum class Shape {
  independent,  // nobody waits for anybody
  global,       // all wait for all at least once an iteration: the sum over intervals of the slowest rank's time
  neighbour,    // exchanges with neighbours: the slowest rank's chain, when one rank is slowest in every interval
  rooted,       // broadcasts and reductions only: the slowest rank's chain
  pipeline,     // a receive stands before the send that feeds it on the next rank: fill, then steady state
  other,        // partners unknown: evaluated as if all waited for all, an upper bound
};
std::string_view to_string(Shape shape);

struct Classification {
  Shape shape = Shape::independent;
  std::string reason;                       // "MPI_Recv (sweep.c:30) waits for a message sent later in the body"
  std::vector<program::NodeId> receives;    // pipeline: the receives that stand before their send
};

/// Of the calls below `node`, loops inside it included.
Classification classify(const program::Model& model, program::NodeId node);

/// The calls below `node` in order of execution.
std::vector<program::NodeId> calls_below(const program::Model& model, program::NodeId node);

/// The relation that the partner of a message sees: what is sent to r + k is received from r - k.
bool mirrored(const program::Node& send, const program::Node& receive);

/// Partner ranks of a call of `rank`, empty when it has none there or they are unknown. Grid extents by dimensions as
/// program::bind gives them.
std::vector<std::int32_t> partners_of(const program::Node& call, std::int32_t rank, std::int32_t processes,
                                      const std::vector<std::vector<std::int32_t>>& extents);

}  // namespace parcast::dependence
