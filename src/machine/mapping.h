// SPDX-License-Identifier: Apache-2.0
#pragma once
// Maps ranks to processors of a system (the mapping abstraction function of Parashar et al. 1993, section
// 2.3). A processor is an instance of a unit whose processing is simple. Processors are numbered in the order
// of the tree. docs/models/system_graph.md.

#include "machine/system.h"

namespace parcast::machine {

struct MapRule {
  enum class Order { block, cyclic, list };
  Order order = Order::block;
  // rank 0 is on the processor of the unit called `host`, the other ranks on the remaining processors
  bool host = false;
  std::vector<std::int64_t> processors;        // for a list: the processors of rank 0, 1, ...
  std::optional<std::int32_t> ranks_per_node;  // limit of ranks on each instance of the unit called `node`
  std::int32_t threads = 1;                    // threads of a rank; a derived system reserves a core for each
};
/// Converts to and from "block", "cyclic", "host+block", "host+cyclic", "list:0,2,1,3".
Result<MapRule> map_rule_from(std::string_view text);
std::string to_string(const MapRule& rule);

struct Mapping {
  // the system as it is mapped; a derived one is enlarged to the nodes and cores that the ranks need
  System system;
  std::vector<std::int64_t> processor_of;  // of each rank
  std::vector<std::string> assumptions;  // resources that were assumed although the system does not have them
};
/// Maps `ranks` in [1, 2^31). Having more ranks than processors is an error for a system written by hand. On
/// a derived system the block rule is the one of predict::place.
Result<Mapping> map_ranks(const System& system, std::int32_t ranks, const MapRule& rule);

}  // namespace parcast::machine
