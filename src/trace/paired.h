// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks whether the ranks of a trace fit together in any order: every message has a receive, and every
// collective has all of its members.

#include "trace/trace.h"

namespace parcast::trace {

/// Returns whether all operations have partners. `trace` must have passed check(). Only counts are compared:
/// a trace may pass and still deadlock. Accesses and locks need no partner. When some receive takes any
/// source or any tag, messages are counted per receiving rank.
bool is_paired(const Trace& trace);

}  // namespace parcast::trace
