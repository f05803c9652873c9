// SPDX-License-Identifier: Apache-2.0
#pragma once
// The memory that cores of a node or socket share: how much they get of it together, and how fast computing goes on that waits for it
// some of its time. docs/models/memory_contention.md.

#include <cstdint>

#include "machine/machine.h"

namespace parcast::machine {

/// The rules the section must keep; the first violation. Nothing to check where the machine has none.
Result<void> check_memory_sharing(const Machine& machine);

/// Bytes per second of `cores` streaming cores together, as multiples of what one gets alone, made never to fall and never to grow faster
/// than the cores; `cores` >= 0 need not be whole. The section has passed check_memory_sharing().
double shared_streams(const MemorySharing& sharing, double cores);

/// How fast computing goes on, 1 alone, of whose time alone the part `bound` (0 to 1) is for memory, while `computing` >= 1 ranks do such
/// on the cores that share it (docs/models/memory_contention.md, (1) to (3)). Never above 1, never rising with `bound` or `computing`.
double shared_speed(const MemorySharing& sharing, double bound, std::int32_t computing);

/// "memory_sharing.4.bandwidth": the number of cores; 0 where the name is no such.
std::int32_t cores_of_shared_bandwidth(std::string_view name);
/// The point for so many cores, added where there is none.
MemorySharing::Point& shared_bandwidth_of(Machine& machine, std::int32_t cores);

}  // namespace parcast::machine
