// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds loops in transitions, as the nest of strongly connected components of the relation "is followed by".
// Every process contributes its own graph. A component is a loop if at least one process has a cycle in it.
// The loop's header is, for each process, the node of the component that it visited first. The arcs back to
// the header are removed, and the search is repeated inside. docs/models/folding.md describes the result for
// programs whose processes differ.

#include <cstdint>
#include <vector>

namespace parcast::program {

struct Arc {
  std::int32_t from = -1;  // -1: from outside of the nodes in question
  std::int32_t to = -1;
  std::int32_t id = -1;  // the caller's number, returned in Piece::iterations
};

/// The transitions of one kind of process; processes with equal transitions share a graph.
struct Graph {
  std::vector<Arc> arcs;
  std::vector<std::int32_t> visits;  // nodes in order of first visit
};

/// A node, or a loop around a sequence of pieces.
struct Piece {
  std::int32_t node = -1;  // -1: a loop
  std::vector<Piece> children;
  // per graph: ids of arcs whose traversals sum to the iterations
  std::vector<std::vector<std::int32_t>> iterations;
};

/// Returns the nodes 0 .. count - 1 in order of execution (ties: by number). Every node occurs exactly once.
std::vector<Piece> nest_loops(std::int32_t count, const std::vector<Graph>& graphs);

}  // namespace parcast::program
