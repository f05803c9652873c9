// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cost of moving data between a core and its memory. The level that serves an array follows from the
// portion of the array that one process holds (its footprint). docs/models/memory.md.

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// Whether the other cores of the node are idle or also stream data.
enum class Sharing { alone, all_cores };

/// Returns the seconds to move `bytes` in total to or from an array of which a process holds `footprint`
/// bytes. The bandwidth is that of the first level that holds the entire footprint, or of the last level if
/// none does. 0 if no level has a bandwidth.
symbolic::Expression transfer_seconds(const Machine& machine, const symbolic::Expression& bytes,
                                      const symbolic::Expression& footprint,
                                      Sharing sharing = Sharing::alone);

/// Returns the seconds per byte of streaming through `footprint` bytes per core while `cores` cores do so.
/// The measured sweep is interpolated linearly and never falls with the footprint: a point below its
/// predecessors is noise. 0 if the machine has no sweep.
symbolic::Expression streaming_seconds(const Machine& machine, const symbolic::Expression& footprint,
                                       std::int32_t cores);

/// Returns the misses of a level when `bytes` are moved: one per line once the footprint exceeds the level's
/// capacity, otherwise none. 0 if the machine has no such level.
symbolic::Expression misses(const Machine& machine, std::string_view level, const symbolic::Expression& bytes,
                            const symbolic::Expression& footprint);

/// Returns the page faults when `bytes` are moved while the processes of a node hold `footprint` bytes
/// together: one per page once the footprint exceeds the memory of the node. 0 if that memory is unknown.
symbolic::Expression page_faults(const Machine& machine, const symbolic::Expression& bytes,
                                 const symbolic::Expression& footprint);

}  // namespace parcast::machine
