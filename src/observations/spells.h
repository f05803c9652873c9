// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slow and fast spells: a rank computes slower for a while, through its neighbours on the machine, and then faster again.
// One rank alone shows them as a trend; between ranks that execute the same they differ. docs/models/segments.md.

#include <span>
#include <vector>

#include "observations/sampling.h"

namespace parcast::program {

struct Spells {
  double noise = 0;                        // standard deviation between ranks / mean, without lasting differences
  std::vector<double> squared_errors;      // per rank: what spells leave in its mean, relative and squared
};

/// Zeros where the ranks are fewer than two, executed unequally often or fewer than 16 times.
Spells spells_between(std::span<const TimeSummary* const> ranks);

}  // namespace parcast::program
