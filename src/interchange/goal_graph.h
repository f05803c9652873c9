// SPDX-License-Identifier: Apache-2.0
#pragma once
// One rank of a GOAL schedule as a graph, and the order in which a trace does it.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "trace/builder.h"
#include "trace/operation_graph.h"
#include "trace/trace.h"

namespace parcast::interchange {

inline constexpr std::uint32_t kGoalAny = std::numeric_limits<std::uint32_t>::max();  // peer or tag of a receive

struct GoalOperation {
  enum class Kind : std::uint8_t { send = 1, receive = 2, calculate = 3 };  // as in binary files
  Kind kind = Kind::calculate;
  std::uint8_t cpu = 0, nic = 0;
  std::uint32_t peer = 0, tag = 0;
  std::uint64_t size = 0;  // bytes; of a calculation nanoseconds
};

/// `later` may start when `earlier` has ended, or has started.
struct GoalDependency {
  std::uint32_t later = 0, earlier = 0;
  bool on_start = false;
};

struct GoalGraph {
  std::vector<GoalOperation> operations;  // in order of the file
  std::vector<GoalDependency> dependencies;
};

/// A calculation must fit into trace::Time.
inline constexpr std::uint64_t kLongestCalculation = static_cast<std::uint64_t>(trace::kLongest / trace::kPerNanosecond);

struct GoalOrder {
  /// Operations behind a wait of which some request is not among what they depend on. Exact for up to 32 such requests per
  /// operation; beyond that an operation that two such chains lead to is counted unless everything before it leads to it.
  std::uint64_t delayed = 0;
  std::optional<std::uint32_t> circular;  // an operation that depends on itself; what was added is not whole then
  bool only = true;                       // the graph allows no other order
};

/// Adds what the rank does. Indices of dependencies must be in range, sizes of calculations at most kLongestCalculation.
GoalOrder put_in_order(const GoalGraph& graph, std::int32_t rank, trace::RankBuilder& words);

/// The same for the simulation, in canonical order.
trace::RankGraph to_rank_graph(const GoalGraph& graph);

}  // namespace parcast::interchange
