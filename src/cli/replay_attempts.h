// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recorded run has ended, so its replay should end, too. If the replay deadlocks, the trace or the machine
// is changed, one thing after the other, and each change is reported. Messages missing in the recording count
// as received; sends no longer wait for buffer space at the receiver; receives from any source get the
// messages that came.

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/trace_inputs.h"
#include "recording/recording.h"
#include "trace/waiting.h"

namespace parcast::cli {

class ReplayAttempts {
 public:
  /// `loaded`: try_again() changes it.
  explicit ReplayAttempts(LoadedTrace& loaded) : loaded_(loaded), warnings_(loaded.warnings) {}

  /// Prepares the next attempt. Returns false if the trace is not of a recording, or if no attempt is left (a
  /// sentence reports it). Returns true if `loaded` holds another trace. `waiting`: the ranks that deadlock
  /// on `machine` with the current trace.
  Result<bool> try_again(std::span<const trace::Waiting> waiting, const std::string& machine);

 private:
  struct Attempt {
    trace::Matching matching;
    bool buffered;
  };
  void plan();
  Result<bool> begin(const Attempt& attempt);

  LoadedTrace& loaded_;
  const std::vector<std::string> warnings_;
  std::optional<std::vector<Attempt>> left_;  // the next one last; nothing before the first deadlock
  std::optional<recording::Recording> recording_;
  std::string first_wait_;  // "MPI_Send to rank 1, ... on rank 0"
  std::string machine_;
};

/// Makes all sends buffered ones. Returns false if there are none.
bool buffer_sends(trace::Trace& trace);

/// A recording's trace in which no send waits for buffer space, and every receive gets the message that came.
/// Used for points of a sweep that deadlock where others do not.
class SpareTrace {
 public:
  explicit SpareTrace(const LoadedTrace& loaded) : loaded_(loaded) {}
  /// Returns the trace; null if the trace is not of a recording.
  Result<const trace::Trace*> get();
  /// Returns whether get() was called and the trace exists.
  bool used() const { return trace_.has_value(); }

 private:
  const LoadedTrace& loaded_;
  std::mutex making_;
  std::optional<trace::Trace> trace_;
};
/// The warning that is printed if it was used.
inline constexpr const char* kSpareUsed =
    "the recorded run ended, and at some points its replay does not: there sends are taken as buffered, and "
    "receives from any source get the messages that came";

}  // namespace parcast::cli
