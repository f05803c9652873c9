// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long a rank computes.

#include "trace/trace.h"

namespace parcast::trace {

/// Picoseconds of all computing in a sequence, loops unrolled.
double computing_of(const Sequence& sequence);

}  // namespace parcast::trace
