// SPDX-License-Identifier: Apache-2.0
#pragma once
// The memory that cores of a node or socket share: the bandwidth that they get together, and the speed of
// computing that waits for memory part of its time. docs/models/memory_contention.md.

#include <cstdint>

#include "machine/machine.h"

namespace parcast::machine {

/// Checks the rules for the section and returns the first violation. A machine without the section passes.
Result<void> check_memory_sharing(const Machine& machine);

/// Returns the bandwidth of `cores` streaming cores together, as a multiple of that of one core alone. It
/// never falls and never grows faster than the cores. `cores` >= 0 may be a fraction. The section must have
/// passed check_memory_sharing().
double shared_streams(const MemorySharing& sharing, double cores);

/// Returns the speed of computing, relative to 1 alone, while `computing` >= 1 ranks compute on the cores
/// that share the memory. `bound` (0 to 1) is the part of the time alone that is memory access
/// (docs/models/memory_contention.md, (1) to (3)). The result is never above 1 and never rises with `bound`
/// or `computing`.
double shared_speed(const MemorySharing& sharing, double bound, std::int32_t computing);

/// Returns the number of cores in a name such as "memory_sharing.4.bandwidth"; 0 for other names.
std::int32_t cores_of_shared_bandwidth(std::string_view name);
/// Returns the point for `cores`; adds it if it is missing.
MemorySharing::Point& shared_bandwidth_of(Machine& machine, std::int32_t cores);

}  // namespace parcast::machine
