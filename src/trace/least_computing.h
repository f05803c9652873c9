// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run from several recordings of it. Other work on the host lengthens single computing times of a
// recording, and a barrier waits for the longest of all ranks; so every time is the shortest of the
// recordings.

#include <span>

#include "base/result.h"
#include "trace/trace.h"

namespace parcast::trace {

/// Returns the first trace with the shortest computing before each operation. Loops are unrolled. Fails where
/// the ranks do not execute the same operations in all traces, and beyond 20 million words. One trace is
/// returned as it is.
Result<Trace> with_least_computing(std::span<const Trace> runs);

}  // namespace parcast::trace
