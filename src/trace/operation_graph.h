// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run as graphs of operations, one per rank. A list is not enough when some operations have no order, or
// when a rank has several streams (cpu) or several network interfaces (nic). GOAL schedules are such graphs
// (docs/formats/goal.md); simulate_schedule() runs them (docs/models/schedules.md).

#include <compare>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace parcast::trace {

struct GraphOperation {
  enum class Kind : std::uint8_t { send, receive, compute };
  Kind kind = Kind::compute;
  std::uint8_t cpu = 0, nic = 0;
  std::int32_t peer = 0;     // world rank; kAny: receive from any source
  std::int32_t tag = 0;      // kAny: receive any tag
  std::uint64_t amount = 0;  // bytes of a message, or picoseconds of computing, at most kLongest

  auto operator<=>(const GraphOperation&) const = default;
};

/// `later` may start after `earlier` has ended, or after it has started. Both are indices into
/// RankGraph::operations.
struct GraphDependency {
  std::uint32_t later = 0, earlier = 0;
  bool on_start = false;

  auto operator<=>(const GraphDependency&) const = default;
};

struct RankGraph {
  std::vector<GraphOperation> operations;
  std::vector<GraphDependency> dependencies;
};

struct OperationGraph {
  std::vector<RankGraph> ranks;
};

/// Renumbers a rank's operations by their content and their dependencies, and sorts the dependencies. The
/// result does not depend on the original order. Operations are ordered first by kind, cpu, nic, peer, tag
/// and amount, then by colour refinement (Weisfeiler, Leman 1968; McKay 1981). In each round, operations stay
/// equal when equal numbers of equal operations require them and are required by them. When several
/// operations stay equal, one of them gets its own class and the refinement continues. Equal operations are
/// assumed to be interchangeable, which holds in every forest. Indices must be in range. n operations with d
/// dependencies take O((n + d) log n) steps.
void put_in_canonical_order(RankGraph& graph);

}  // namespace parcast::trace
