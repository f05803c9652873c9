// SPDX-License-Identifier: Apache-2.0
#pragma once
// One rank of a GOAL schedule as a graph, and the order in which a trace executes its operations.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "trace/builder.h"
#include "trace/operation_graph.h"
#include "trace/trace.h"

namespace parcast::interchange {

// as peer or tag of a receive: any
inline constexpr std::uint32_t kGoalAny = std::numeric_limits<std::uint32_t>::max();

struct GoalOperation {
  enum class Kind : std::uint8_t { send = 1, receive = 2, calculate = 3 };  // values as in binary files
  Kind kind = Kind::calculate;
  std::uint8_t cpu = 0, nic = 0;
  std::uint32_t peer = 0, tag = 0;
  std::uint64_t size = 0;  // bytes; nanoseconds for a calculation
};

/// `later` may start when `earlier` has ended or, with on_start, when it has started.
struct GoalDependency {
  std::uint32_t later = 0, earlier = 0;
  bool on_start = false;
};

struct GoalGraph {
  std::vector<GoalOperation> operations;  // in the order of the file
  std::vector<GoalDependency> dependencies;
};

/// Longest calculation that fits into trace::Time, in nanoseconds.
inline constexpr std::uint64_t kLongestCalculation =
    static_cast<std::uint64_t>(trace::kLongest / trace::kPerNanosecond);

struct GoalOrder {
  /// Number of operations after a wait for a request that they do not depend on. Exact for up to 32 such
  /// requests per operation. Beyond 32, an operation that depends on two such chains is counted, unless it
  /// depends on all operations before it.
  std::uint64_t delayed = 0;
  // an operation that depends on itself; the rank was then added incompletely
  std::optional<std::uint32_t> circular;
  bool only = true;  // the graph allows only this order
};

/// Adds the operations of the rank to `words`. Indices of dependencies must be in range, sizes of
/// calculations at most kLongestCalculation.
GoalOrder put_in_order(const GoalGraph& graph, std::int32_t rank, trace::RankBuilder& words);

/// Returns the same graph for the simulation, in canonical order.
trace::RankGraph to_rank_graph(const GoalGraph& graph);

}  // namespace parcast::interchange
