// SPDX-License-Identifier: Apache-2.0
#pragma once
// In which order calls and segments follow each other, and which waiting call closes what: the skeleton on which the
// closed form and the recursion both stand.

#include <vector>

#include "model/model.h"

namespace parcast::predict {

/// A child of a region or loop, or a segment that runs between two of its children.
struct Entry {
  program::NodeId node = program::kNone;
  std::int32_t segment = -1;
};

struct Layout {
  /// By node id: the entries of regions, loops and the program in order. A segment that leads from the last call of a
  /// loop's body to its first stands at the body's end.
  std::vector<std::vector<Entry>> entries;
  /// The global call that ends the interval in which a call or segment lies; kNone: the end of the program.
  std::vector<program::NodeId> interval_of_node, interval_of_segment;
  /// The same for waiting calls of any kind.
  std::vector<program::NodeId> phase_of_node, phase_of_segment;
};

Layout lay_out(const program::Model& model);

/// The innermost loop around a node, or the program.
program::NodeId enclosing_loop(const program::Model& model, program::NodeId node);

}  // namespace parcast::predict
