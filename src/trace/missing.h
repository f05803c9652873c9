// SPDX-License-Identifier: Apache-2.0
#pragma once
// Explains why a recording lacks operations that its ranks waited for, as far as the recording shows it.

#include <span>
#include <string>
#include <vector>

#include "recording/recording.h"
#include "trace/rehearsal.h"

namespace parcast::trace {

/// Returns one sentence for each kind of operation and cause: how many are missing, the first one, the cause,
/// and what the trace contains instead.
std::vector<std::string> describe_missing(const recording::Recording& recording, const Trace& trace,
                                          std::span<const Missing> missing);

}  // namespace parcast::trace
