// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages whose size depends on data (particles that leave a subdomain) rarely have the same size twice, so
// an order of operations that repeats looks as if it did not. Here they get their mean size.

#include <string>
#include <vector>

#include "structure/tokens.h"

namespace parcast::program {

struct LevelledSizes {
  std::string assumption;      // names the calls; empty: no size was changed
  std::size_t most_sizes = 0;  // largest number of different sizes of one operation of a rank
};

/// Gives operations of one rank that differ in bytes alone their mean bytes, so the bytes of each rank, call
/// and partner stay the same in sum, to half a byte per operation.
LevelledSizes level_sizes(std::vector<TracedRun>& runs);

}  // namespace parcast::program
