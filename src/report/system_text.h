// SPDX-License-Identifier: Apache-2.0
#pragma once
// A system as text: its units as a tree with the exports of each component, and as a graph for Graphviz.
//
//   ipsc860-host  129 processors, as its machine's file gives
//
//   ipsc860
//     processing     compound
//     communication  compound: connections, store and forward
//       host - service (ethernet)  latency 1.00 ms, gap per byte 1.00 us/B
//     host ...

#include <string>

#include "machine/system.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the tree. Both functions require a valid system.
std::string system_text(const machine::System& system, const Style& style);
/// Returns a graph with a box per unit, lines to its parts with their counts, and dashed lines for
/// connections.
std::string system_dot(const machine::System& system);

}  // namespace parcast::report
