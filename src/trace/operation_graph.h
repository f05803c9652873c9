// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every rank of one run does where a list is not enough: operations that are free of each other, several
// streams of a rank (cpu), several network interfaces (nic). GOAL schedules are such graphs
// (docs/formats/goal.md), and simulate_schedule() runs them (docs/models/schedules.md).

#include <compare>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace parcast::trace {

struct GraphOperation {
  enum class Kind : std::uint8_t { send, receive, compute };
  Kind kind = Kind::compute;
  std::uint8_t cpu = 0, nic = 0;
  std::int32_t peer = 0;     // world rank; kAny: receive from anybody
  std::int32_t tag = 0;      // kAny: receive any
  std::uint64_t amount = 0;  // bytes of a message; picoseconds of computing, at most kLongest

  auto operator<=>(const GraphOperation&) const = default;
};

/// `later` may start when `earlier` has ended, or has started. Both are indices into RankGraph::operations.
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

/// Numbers a rank's operations by what they do and how they depend on each other, and sorts its dependencies:
/// the result does not depend on the order in which they came. First by kind, cpu, nic, peer, tag and amount;
/// then by colour refinement (Weisfeiler, Leman 1968; McKay 1981): operations are equal as long as equal
/// numbers of equal ones require them and are required by them. Of several that stay equal one is set apart,
/// and the refinement goes on. They are taken to be interchangeable, which is so in every forest. Indices
/// must be in range. n operations with d dependencies take O((n + d) log n) steps.
void put_in_canonical_order(RankGraph& graph);

}  // namespace parcast::trace
