// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tree of a program: regions as the program names them, loops as its transitions show them, calls as leaves. A region
// is a node of the graph of the region around it, so loops hold regions and regions hold loops.

#include <cstdint>
#include <string>
#include <vector>

#include "observations/traces.h"

namespace parcast::program {

struct Branch {
  NodeKind kind = NodeKind::program;
  std::string name;                  // of a region
  std::int32_t key = -1;             // of a call
  std::vector<Branch> children;
  // Of regions and loops, per kind of process: transitions whose traversals count the entries or iterations.
  std::vector<std::vector<std::int32_t>> counted;
};

struct Tree {
  Branch root;
  std::vector<std::size_t> kind_of;  // per trace: which entry of Branch::counted is its own
};

Tree build_tree(const Traces& traces);

}  // namespace parcast::program
