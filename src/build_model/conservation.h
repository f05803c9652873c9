// SPDX-License-Identifier: Apache-2.0
#pragma once
// Applies conservation of flow to the counts: each execution of a call ends one segment, and begins one
// unless it is the last call of the process (Kirchhoff's first law on the control flow; Knuth and Stevenson
// 1973 use it to save counters). Counts that were identified one by one must agree with it. The law decides
// between alternatives, and determines a count about which nothing else is known.

#include <set>

#include "model/model.h"

namespace parcast::program {

/// If a call has exactly one segment without an established formula, its count becomes the difference of the
/// other counts. If the preferred alternatives of a call's segments do not add up, the shortest ones that do
/// are preferred. `last`: calls after which some process or thread makes no other call. As many segments as
/// executions end at these calls, but fewer may begin.
void conserve(Model& model, const std::set<NodeId>& last = {});

}  // namespace parcast::program
