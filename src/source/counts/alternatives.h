// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computes how the counted work changes under alternative formulas that also give the observed counts, and
// which run would decide between them. docs/models/source_counts.md, Alternatives.

#include <string>
#include <vector>

#include "observations/inputs.h"
#include "source/counts/block_counts.h"
#include "source/facts/facts.h"

namespace parcast::program {

/// Returns the factors of the blocks' weighted work, by hypothesis (source_count.h). Factors are left out if
/// they are equal within 2 % at every run that may be proposed, at four times the recorded sizes, and there
/// on eight times the processes.
std::vector<symbolic::Expression> alternatives_of(const std::vector<facts::Module>& modules,
                                                  const std::vector<BlockCount>& blocks,
                                                  const Inputs& inputs);

/// Returns a text such as "a recording at p = 6, n = 48 would decide". The text names the cheapest new run
/// that separates most of the alternatives. It is empty if no run separates any.
std::string deciding_run(const std::vector<symbolic::Expression>& alternatives, const Inputs& inputs);

}  // namespace parcast::program
