// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces with well-known communication patterns and any size, for measuring the speed of the simulation.

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace parcast::bench {

/// halo (3-D, periodic), doubling (recursive doubling), wavefront (2-D), sparse (six random partners each).
const std::vector<std::string>& pattern_names();

/// `iterations` of the pattern with messages of 8 KiB; every operation is a word of its own unless `folded`.
trace::Trace pattern(const std::string& name, std::int32_t ranks, std::uint32_t iterations, bool folded);

/// Returns the number of sends, receives, collectives and computes of all ranks.
std::uint64_t operations_of(const trace::Trace& trace);

}  // namespace parcast::bench
