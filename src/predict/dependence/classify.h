// SPDX-License-Identifier: Apache-2.0
#pragma once
// Classifies how the ranks of a loop (or of the complete program) depend on each other, from its calls; the
// class decides which closed form holds. docs/models/dependence.md proves the closed forms.

#include <string>
#include <vector>

#include "model/model.h"

namespace parcast::dependence {

enum class Shape {
  independent,  // no rank waits for another
  // All ranks wait for all at least once per iteration: the sum over intervals of the slowest rank's time.
  global,
  // Exchanges with neighbours: the slowest rank's chain, when one rank is slowest in every interval.
  neighbour,
  rooted,  // broadcasts and reductions only: the slowest rank's chain
  // A receive precedes the send that feeds it on the next rank: filling, then steady state.
  pipeline,
  // Partners unknown: evaluated as if all ranks waited for all, an upper bound.
  other,
};
std::string_view to_string(Shape shape);

struct Classification {
  Shape shape = Shape::independent;
  std::string reason;  // "MPI_Recv (sweep.c:30) waits for a message sent later in the body"
  std::vector<program::NodeId> receives;  // pipeline: the receives that precede their send
};

/// Classifies the calls below `node`, including those in loops inside it.
Classification classify(const program::Model& model, program::NodeId node);

/// Returns the calls below `node` in order of execution.
std::vector<program::NodeId> calls_below(const program::Model& model, program::NodeId node);

/// Returns whether the receive has the relation seen by the send's partner: messages sent to r + k are
/// received from r - k.
bool mirrored(const program::Node& send, const program::Node& receive);

/// Returns the partner ranks of a call of `rank`; empty when it has none there or they are unknown. Grid
/// extents are indexed by dimensions, as in program::bind.
std::vector<std::int32_t> partners_of(const program::Node& call, std::int32_t rank, std::int32_t processes,
                                      const std::vector<std::vector<std::int32_t>>& extents);

}  // namespace parcast::dependence
