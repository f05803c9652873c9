// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts a recording to a trace: every message, wait and collective in the recorded order, with the
// computing time between them. Events that were folded during recording are never held unfolded.
//
// Wildcard receives take either the message that arrives first in the simulation, or the message that came in
// the recording; the caller chooses. The program's reaction to the message stays as recorded. A nonblocking
// collective happens at the latest at the wait that completes it. A one-sided access is outstanding from its
// call until the next fence, flush, unlock or complete. A fence is also a barrier. Post, start, complete and
// wait become messages of 0 bytes. docs/models/replay.md defines which time is computing and which is
// waiting.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "recording/recording.h"
#include "trace/trace.h"

namespace parcast::trace {

/// Tag of the messages of neighbourhood collectives. No program uses it.
inline constexpr std::int32_t kNeighbourTag = -1;

struct FromRecording {
  Trace trace;                        // its `assumptions` list what was replaced by something else
  std::vector<std::string> warnings;  // what is left out, one sentence each
  // warnings and assumptions without numbers, so that further runs of the same program have equal ones
  std::vector<std::string> uncounted;
  // places of collectives over a single rank; the trace does not contain them
  std::vector<Place> alone;
  // what the recording lacks, so that the run would not end; one sentence each
  std::vector<std::string> missing;
};

/// Which message a wildcard receive or probe gets.
enum class Matching : std::uint8_t {
  arrival,   // the first that arrives in the simulation
  recorded,  // the one that came in the recording
};

/// Whether the trace is rehearsed (rehearsal.h). Ranks with several communicating threads always are.
enum class Rehearsed : std::uint8_t { threads, all };

/// Returns whether a receive or probe takes whichever message arrives first.
bool leaves_open(const Trace& trace);

/// Fails when the recorder gave up the order of events, or when processes are missing and left no trace.
Result<FromRecording> from_recording(const recording::Recording& recording,
                                     Matching matching = Matching::arrival,
                                     Rehearsed rehearsed = Rehearsed::threads);

}  // namespace parcast::trace
