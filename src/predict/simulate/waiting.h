// SPDX-License-Identifier: Apache-2.0
#pragma once
// What both engines say of ranks that wait, and of collectives that differ.

#include <cstdint>
#include <string>
#include <vector>

#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// "MPI_Reduce (x.c:5) with root 1 on rank 3"
std::string described(const trace::Trace& trace, std::int32_t rank, std::uint32_t operation);

/// Of an outcome with `ranks` and `waiting`: ranks that wait for each other in a circle, in its order; empty where there are none.
std::vector<std::int32_t> circle_of(const Outcome& outcome);

/// What ranks have done decides a hang, theirs and those that they wait for: matching by source, tag and order is always the
/// same, but that of receives from anybody is not, and neither is who comes first to a lock.
bool is_by_choice(const trace::Trace& trace, const Outcome& outcome);

/// Members of a communicator call different collectives.
Error different_collectives(const trace::Trace& trace, std::uint32_t communicator, std::int32_t rank, std::uint32_t operation, std::int32_t first_rank, std::uint32_t first_operation);

}  // namespace parcast::simulate
