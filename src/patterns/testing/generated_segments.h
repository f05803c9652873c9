// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces of one segment each, with the pattern that it was written as: what ranks do is written down from the pattern's definition, rank by
// rank, and knows nothing of the rules that find it again.

#include <cstdint>
#include <string>

#include "patterns/classify.h"
#include "trace/trace.h"

namespace parcast::program {

struct GeneratedSegment {
  trace::Trace trace;
  MessagePattern pattern = MessagePattern::none;  // as docs/models/patterns.md has it, where few ranks make several patterns one
  std::string how;                                // "halo 4 x 5, periodic along 1, nonblocking, 3 rounds"
};

/// number modulo 8: the pattern, in the order of MessagePattern. On 2 to 65 ranks, every third time a prime number of them; irregular ones on
/// 8 or more.
GeneratedSegment generated_segment(std::uint64_t number);

}  // namespace parcast::program
