// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text about the computing time lost because ranks of a node share its memory.

#include <string>

#include "predict/simulate/simulate.h"
#include "report/style.h"

namespace parcast::report {

/// Returns e.g. "node 3", "socket 1 of node 3".
std::string memory_name(const simulate::MemoryLoad& load);

/// Returns a sentence; empty if no memory is shared.
std::string contention_text(const simulate::Outcome& outcome, const Style& style);

}  // namespace parcast::report
