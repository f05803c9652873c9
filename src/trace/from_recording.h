// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording as a trace: every message, wait and collective in the order in which it was recorded, with the computing time
// between them. Events that were folded while they were recorded are never held unfolded.
//
// Receives from anybody, or with any tag, take what arrives in the simulation, or the message that came in the recording, as is
// asked for; what the program did with it stays as it was recorded. What a collective that was started does happens by the wait that completes it. One-sided accesses are under way from their call until the next
// fence, flush, unlock or complete; a fence is a barrier too; post, start, complete and wait are messages of 0 bytes. docs/models/replay.md says which time is
// computing and which is waiting.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "recording/recording.h"
#include "trace/trace.h"

namespace parcast::trace {

/// The tag of the messages of neighbourhood collectives: no program's.
inline constexpr std::int32_t kNeighbourTag = -1;

struct FromRecording {
  Trace trace;                        // with assumptions: what was taken for something else
  std::vector<std::string> warnings;  // what is left out, a sentence each
  std::vector<std::string> uncounted; // both without their numbers: what further runs have in common with this one
  std::vector<Place> alone;           // where collectives are called by one rank for itself, which the trace has not
  std::vector<std::string> missing;   // what the recording lacks without which the run would not end, a sentence each
};

/// Which message a receive from any source or with any tag gets, and a probe for such finds.
enum class Matching : std::uint8_t {
  arrival,   // the first that arrives where the trace is simulated
  recorded,  // that of the recording
};

/// Whether the trace is rehearsed (rehearsal.h). Those of ranks whose threads communicate side by side always are.
enum class Rehearsed : std::uint8_t { threads, all };

/// An error when the order of events was given up while they were recorded, or processes are missing without a trace.
Result<FromRecording> from_recording(const recording::Recording& recording, Matching matching = Matching::arrival, Rehearsed rehearsed = Rehearsed::threads);

}  // namespace parcast::trace
