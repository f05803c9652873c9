// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computes how long a rank computes.

#include "trace/trace.h"

namespace parcast::trace {

/// Returns the picoseconds of all computing in a sequence, with loops unrolled.
double computing_of(const Sequence& sequence);

}  // namespace parcast::trace
