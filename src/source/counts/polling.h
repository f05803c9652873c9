// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds loops that poll: they test for completion (MPI_Test, MPI_Iprobe and similar) as often as time allows.
// Their counts do not describe the program. docs/models/source_counts.md, Polling.

#include <set>
#include <utility>
#include <vector>

#include "source/facts/derivation.h"

namespace parcast::program {

using BlockPlace = std::pair<facts::FunctionPlace, int>;

/// Returns the blocks of the innermost loops around such calls, unless the compiler proved their iteration
/// counts. If a function tests outside of its loops, the loops around its callers are taken. All blocks of
/// such a function are included if only polling blocks call it. `program`: built from these modules.
std::set<BlockPlace> polling_blocks(const std::vector<facts::Module>& modules,
                                    const facts::LinkedProgram& program);

}  // namespace parcast::program
