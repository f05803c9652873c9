// SPDX-License-Identifier: Apache-2.0
#include "build_model/nodes_around.h"

#include <set>

namespace parcast::program {

bool contains(const Model& model, NodeId outer, NodeId inner) {
  while (inner != kNone && inner != outer) inner = parent_of(model, inner);
  return inner == outer;
}

NodeId owner_of(const Model& model, NodeId a, NodeId b) {
  std::set<NodeId> above;
  if (a == kNone) return 0;
  for (NodeId n = parent_of(model, a); n != kNone; n = parent_of(model, n)) above.insert(n);
  NodeId n = parent_of(model, b);
  while (n != kNone && !above.contains(n)) n = parent_of(model, n);
  return n == kNone ? 0 : n;
}

}  // namespace parcast::program
