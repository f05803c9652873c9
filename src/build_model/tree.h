// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tree of a program: the program's regions, loops found in transitions, and calls as leaves. A region is
// a node of the graph of the region around it. Loops can therefore contain regions, and regions loops.

#include <cstdint>
#include <string>
#include <vector>

#include "observations/traces.h"

namespace parcast::program {

struct Branch {
  NodeKind kind = NodeKind::program;
  std::string name;       // for a region
  std::int32_t key = -1;  // for a call
  std::vector<Branch> children;
  // For regions and loops, per kind of process: transitions whose traversals sum to the entries or
  // iterations.
  std::vector<std::vector<std::int32_t>> counted;
};

struct Tree {
  Branch root;
  std::vector<std::size_t> kind_of;  // per trace: its index in Branch::counted
};

Tree build_tree(const Traces& traces);

}  // namespace parcast::program
