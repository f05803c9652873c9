// SPDX-License-Identifier: Apache-2.0
#pragma once
// What counted work is where other formulas of its counts hold, which give what was counted as well, and the run that would
// tell. docs/models/source_counts.md, Rivals.

#include <string>
#include <vector>

#include "observations/inputs.h"
#include "source/counts/block_counts.h"
#include "source/facts/facts.h"

namespace parcast::program {

/// By hypothesis (told.h) what the blocks' weighted work is multiplied with. Without those that are the same within 2 % wherever a run is
/// proposed, on the recorded sizes four times as large, and there on eight times the processes.
std::vector<symbolic::Expression> rivals_of(const std::vector<facts::Module>& modules, const std::vector<BlockCount>& blocks, const Inputs& inputs);

/// "a recording at p = 6, n = 48 would tell": the cheapest that was not made and tells most of them from each other; nothing where none of
/// the runs looked at does.
std::string deciding_run(const std::vector<symbolic::Expression>& rivals, const Inputs& inputs);

}  // namespace parcast::program
