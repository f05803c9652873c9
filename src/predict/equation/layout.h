// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order of calls and segments, and the waiting call that closes each: the common basis of the closed form
// and the recursion.

#include <vector>

#include "model/model.h"

namespace parcast::predict {

/// A child of a region or loop, or a segment between two of its children.
struct Entry {
  program::NodeId node = program::kNone;
  std::int32_t segment = -1;
};

struct Layout {
  /// By node id: the entries of regions, loops and the program in order. A segment from the last call of a
  /// loop's body to its first is at the end of the body.
  std::vector<std::vector<Entry>> entries;
  /// The global call that ends the interval of a call or segment; kNone: the end of the program.
  std::vector<program::NodeId> interval_of_node, interval_of_segment;
  /// The same for waiting calls of any kind.
  std::vector<program::NodeId> phase_of_node, phase_of_segment;
};

Layout lay_out(const program::Model& model);

/// Returns the innermost loop around a node, or the program.
program::NodeId enclosing_loop(const program::Model& model, program::NodeId node);

}  // namespace parcast::predict
