// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which processor of a system executes which rank (the mapping abstraction function of Parashar et al. 1993, section 2.3).
// A processor is an instance of a unit whose processing is simple; they are numbered in the order of the tree. docs/models/system_graph.md.

#include "machine/system.h"

namespace parcast::machine {

struct MapRule {
  enum class Order { block, cyclic, list };
  Order order = Order::block;
  bool host = false;                             // rank 0 is on the processor of the unit called `host`, the others are on those that remain
  std::vector<std::int64_t> processors;          // of a list: that of rank 0, 1, ...
  std::optional<std::int32_t> ranks_per_node;    // at most so many on each instance of the unit called `node`
  std::int32_t threads = 1;                      // of a rank; a derived system keeps a core for each
};
/// "block", "cyclic", "host+block", "host+cyclic", "list:0,2,1,3".
Result<MapRule> map_rule_from(std::string_view text);
std::string to_string(const MapRule& rule);

struct Mapping {
  System system;                          // as it is mapped: a derived one has the nodes and cores that the ranks need, where that is more than it had
  std::vector<std::int64_t> processor_of;  // of each rank
  std::vector<std::string> assumptions;    // what was taken to be there although the system does not have it
};
/// Ranks in [1, 2^31). More ranks than processors are an error of a system written by hand; on a derived one the block rule is that of predict::place.
Result<Mapping> map_ranks(const System& system, std::int32_t ranks, const MapRule& rule);

}  // namespace parcast::machine
