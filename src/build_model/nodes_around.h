// SPDX-License-Identifier: Apache-2.0
#pragma once
// The regions and loops around the nodes of a model that is being built.

#include "model/model.h"

namespace parcast::program {

inline NodeId parent_of(const Model& model, NodeId id) {
  return model.nodes[static_cast<std::size_t>(id)].parent;
}

/// Whether `inner` is `outer`, or inside it.
bool contains(const Model& model, NodeId outer, NodeId inner);

/// Returns the innermost region or loop around both; the program if `a` is kNone.
NodeId owner_of(const Model& model, NodeId a, NodeId b);

}  // namespace parcast::program
