// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops that poll: they ask MPI whether something has come (MPI_Test, MPI_Iprobe and their like) until it has, as often as time allows. What
// they count says nothing of the program. docs/models/source_counts.md, Polling.

#include <set>
#include <utility>
#include <vector>

#include "source/facts/derivation.h"

namespace parcast::program {

using BlockPlace = std::pair<facts::FunctionPlace, int>;

/// Blocks of the innermost loops around such calls, unless the compiler proved how often these go round; through callers, where a function asks
/// outside of its loops. Of such a function all blocks, where it is called from polling blocks alone. `program`: of these modules.
std::set<BlockPlace> polling_blocks(const std::vector<facts::Module>& modules, const facts::LinkedProgram& program);

}  // namespace parcast::program
