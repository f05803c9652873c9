// SPDX-License-Identifier: Apache-2.0
#pragma once
// What goes into a call comes out of it: each execution of a call ends one segment, and begins one unless it is the last
// call of the process (Kirchhoff's first law on the control flow; Knuth and Stevenson 1973 use it to save counters). Counts
// that were found one by one must agree with it: it decides between candidates, and gives a count of which nothing else
// is known.

#include <set>

#include "model/model.h"

namespace parcast::program {

/// Counts of segments that are the only ones of a call without an established formula become the difference of the others.
/// Where the preferred candidates of a call's segments do not add up, the shortest ones that do are preferred.
/// `last`: calls behind which some process or thread makes no other; as many segments as executions end there, not begin.
void conserve(Model& model, const std::set<NodeId>& last = {});

}  // namespace parcast::program
