// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why a recording lacks what its ranks waited for, as far as it shows that.

#include <span>
#include <string>
#include <vector>

#include "recording/recording.h"
#include "trace/rehearsal.h"

namespace parcast::trace {

/// A sentence for each kind of operation and cause: how many, the first of them, why, and what the trace has instead.
std::vector<std::string> describe_missing(const recording::Recording& recording, const Trace& trace, std::span<const Missing> missing);

}  // namespace parcast::trace
