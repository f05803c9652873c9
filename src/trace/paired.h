// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the ranks of a trace fit together, whatever the order: every message has a receive, and every
// collective all of its members.

#include "trace/trace.h"

namespace parcast::trace {

/// `trace` has passed check(). Counts alone: a trace may fit together and still hang. Accesses and locks need
/// nobody. Where a receive takes any source or any tag, messages are counted by the rank that gets them.
bool is_paired(const Trace& trace);

}  // namespace parcast::trace
