// SPDX-License-Identifier: Apache-2.0
#pragma once
// A system for people: its units as a tree, with what each component exports, and as a graph for Graphviz.
//
//   ipsc860-host  129 processors, as its machine's file says
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

/// The system must be valid, as in the other one.
std::string system_text(const machine::System& system, const Style& style);
/// A box per unit, lines to its parts with their counts, dashed ones for connections.
std::string system_dot(const machine::System& system);

}  // namespace parcast::report
