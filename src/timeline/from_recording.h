// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes the timeline of a recording. docs/models/timeline.md.

#include <cstddef>

#include "recording/recording.h"
#include "timeline/timeline.h"

namespace parcast::timeline {

/// How the clocks of the ranks relate.
struct Clocks {
  std::vector<std::uint64_t>
      zero;  // by rank of the recording: nanoseconds on a common line when MPI_Init returned
  bool are_comparable = true;  // between all ranks; if not, who waited for whom is not known
  std::vector<std::string> notes;
};

struct Limits {
  std::size_t spans = 1'000'000;
  std::size_t messages = 100'000;
  std::size_t steps = 100'000;         // of the critical path
  std::uint64_t matched = 30'000'000;  // events; with more, waits and messages are left out
};

/// Returns the timeline; without lanes if the order of events was not kept. Messages, waiting and the
/// critical path are left out, with a note, when single times are not known: `estimated` events have means.
Timeline from_recording(const recording::Recording& recording, const Clocks& clocks,
                        const Limits& limits = {});

}  // namespace parcast::timeline
