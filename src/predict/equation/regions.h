// SPDX-License-Identifier: Apache-2.0
#pragma once
// The leaves of the region tree (calls and segments) with their terms.

#include "predict/equation/solve.h"

namespace parcast::predict {

struct Leaf {
  program::NodeId node = program::kNone;  // the call, or the owner of the segment
  std::int32_t segment = -1;
  std::string path, where, executions;
  Origin origin = Origin::unknown;
  std::vector<std::size_t> terms;  // indices into the terms
};

/// Returns the leaves in the order of the model; every term is in exactly one leaf.
std::vector<Leaf> leaves(const program::Model& model, std::span<const TermValue> terms);

}  // namespace parcast::predict
