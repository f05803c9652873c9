// SPDX-License-Identifier: Apache-2.0
#pragma once
// The segments of a trace and what their messages are. A segment is what all ranks send within a region, each time that they go through it
// taken together; every kind of collective in it is one by itself. Where the messages of a region are no pattern as a whole, they are
// divided by the collective of all ranks that came before, by the communicator, and by the call that sends. docs/models/patterns.md.

#include <string>
#include <vector>

#include "patterns/classify.h"
#include "trace/trace.h"

namespace parcast::program {

struct MessageSegment {
  std::string region;          // path; empty: the program, or not known
  std::string calls;           // "MPI_Sendrecv shallow_water.cpp:130", all that send
  Classified found;
  std::int32_t ranks = 0;      // that send or receive; of a collective: members of its communicators
  std::uint64_t messages = 0;  // of all ranks together; of a collective: the calls of all ranks
  double bytes = 0;            // of these: sent, or contributed
};

/// In order of the regions in the trace, the messages of each before its collectives. The trace has passed check().
std::vector<MessageSegment> message_segments(const trace::Trace& trace);

}  // namespace parcast::program
