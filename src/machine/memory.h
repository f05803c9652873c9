// SPDX-License-Identifier: Apache-2.0
#pragma once
// What moving data between a core and its memory costs on a machine: which level serves an array follows from
// the portion of the array that one process holds (its footprint), as in docs/models/memory.md.

#include "machine/machine.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// Whether the other cores of the node are idle or stream data too.
enum class Sharing { alone, all_cores };

/// Seconds to move `bytes` in total to or from an array of which a process holds `footprint` bytes: at the
/// bandwidth of the first level that holds the footprint whole, of the last one if none does. 0 where no
/// level has a bandwidth.
symbolic::Expression transfer_seconds(const Machine& machine, const symbolic::Expression& bytes,
                                      const symbolic::Expression& footprint,
                                      Sharing sharing = Sharing::alone);

/// Seconds per byte of streaming through `footprint` bytes per core while `cores` cores do so: the measured sweep,
/// straight between its points, never falling with the footprint (a point below its predecessors is noise). 0 where the
/// machine has no sweep.
symbolic::Expression streaming_seconds(const Machine& machine, const symbolic::Expression& footprint, std::int32_t cores);

/// Misses of a level when `bytes` are moved: a line each once the footprint exceeds its capacity, else none.
/// The level must be one of the machine's; 0 otherwise.
symbolic::Expression misses(const Machine& machine, std::string_view level, const symbolic::Expression& bytes,
                            const symbolic::Expression& footprint);

/// Page faults when `bytes` are moved while the processes of a node hold `footprint` bytes together: a page
/// each once that exceeds the memory of the node. 0 where the memory of the node is unknown.
symbolic::Expression page_faults(const Machine& machine, const symbolic::Expression& bytes,
                                 const symbolic::Expression& footprint);

}  // namespace parcast::machine
