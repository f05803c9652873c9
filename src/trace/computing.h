// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long ranks compute.

#include "trace/trace.h"

namespace parcast::trace {

/// Returns the picoseconds of all computing in a sequence, with loops unrolled.
double computing_of(const Sequence& sequence);

/// Multiplies all computing by `factor`, to whole picoseconds, at most kLongest each.
void scale_computing(Sequence& sequence, double factor);
void scale_computing(Trace& trace, double factor);

}  // namespace parcast::trace
