// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops out of transitions: the nest of strongly connected components of "is followed by". Every process contributes its
// own graph; a component is a loop where at least one process runs in circles in it. The loop's header is, for each
// process, the node of the component that it met first; without the arcs back to it, the same question is asked again
// inside. docs/models/folding.md says what this gives on programs whose processes differ.

#include <cstdint>
#include <vector>

namespace parcast::program {

struct Arc {
  std::int32_t from = -1;  // -1: from outside of what is looked at
  std::int32_t to = -1;
  std::int32_t id = -1;    // the caller's number, returned in Piece::iterations
};

/// What one kind of process did: processes that agree share a graph.
struct Graph {
  std::vector<Arc> arcs;
  std::vector<std::int32_t> visits;  // nodes in order of first visit
};

/// A node, or a loop around a sequence of pieces.
struct Piece {
  std::int32_t node = -1;                               // -1: a loop
  std::vector<Piece> children;
  std::vector<std::vector<std::int32_t>> iterations;    // per graph: ids of arcs whose traversals count the iterations
};

/// The nodes 0 .. count - 1 in order of execution (ties: by number). Every node occurs exactly once.
std::vector<Piece> nest_loops(std::int32_t count, const std::vector<Graph>& graphs);

}  // namespace parcast::program
