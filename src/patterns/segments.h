// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the segments of a trace and classifies their messages. A segment holds the messages of all ranks
// within a region, over all passes through it. Every kind of collective in it is a separate segment. If the
// messages of a region form no pattern, the region is divided: by the preceding collective of all ranks, by
// the communicator, and by the call that sends. docs/models/patterns.md.

#include <string>
#include <vector>

#include "patterns/classify.h"
#include "trace/trace.h"

namespace parcast::program {

struct MessageSegment {
  std::string region;  // path; empty: the program, or unknown
  std::string calls;   // the calls that send: "MPI_Sendrecv shallow_water.cpp:130"
  Classified found;
  std::int32_t ranks = 0;  // ranks that send or receive; for a collective, the members of its communicators
  std::uint64_t messages = 0;  // of all ranks together; for a collective, the calls of all ranks
  double bytes = 0;            // bytes sent, or contributed to a collective
};

/// Returns the segments in the order of the trace's regions, with the messages of each region before its
/// collectives. The trace must have passed check().
std::vector<MessageSegment> message_segments(const trace::Trace& trace);

}  // namespace parcast::program
