// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generates traces of one segment each, with the pattern that produced it. The operations of each rank follow
// the pattern's definition, independently of the rules that recognise it.

#include <cstdint>
#include <string>

#include "patterns/classify.h"
#include "trace/trace.h"

namespace parcast::program {

struct GeneratedSegment {
  trace::Trace trace;
  // as docs/models/patterns.md names it if several patterns are equal for few ranks
  MessagePattern pattern = MessagePattern::none;
  std::string how;  // "halo 4 x 5, periodic along 1, nonblocking, 3 rounds"
};

/// Returns the segment with that number. The number modulo 8 gives the pattern, in the order of
/// MessagePattern. The segment has 2 to 65 ranks, a prime number of them in every third segment. Irregular
/// segments have 8 or more.
GeneratedSegment generated_segment(std::uint64_t number);

}  // namespace parcast::program
