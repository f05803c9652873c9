// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recorded run has ended, so its replay ends, too. Where it does not, the trace or the machine is changed, one thing after the other, and
// the change is said: messages that the recording lacks are taken as come, sends need no room at their receivers, receives from any source
// get the messages that came.

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
  /// `loaded`: changed by try_again().
  explicit ReplayAttempts(LoadedTrace& loaded) : loaded_(loaded), warnings_(loaded.warnings) {}

  /// False where the trace is of no recording, or nothing is left to be tried: then a sentence says so. Else there is another trace.
  /// `machine`: on which these ranks of the trace at hand wait for ever.
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
  std::optional<std::vector<Attempt>> left_;  // the next one last; nothing before the first hang
  std::optional<recording::Recording> recording_;
  std::string first_wait_;                    // "MPI_Send to rank 1, ... on rank 0"
  std::string machine_;
};

/// All sends become buffered ones. False where there are none.
bool buffer_sends(trace::Trace& trace);

/// A recording's trace in which nobody waits for room at a receiver, and everybody gets the message that came: for points of a sweep that
/// hang where others do not.
class SpareTrace {
 public:
  explicit SpareTrace(const LoadedTrace& loaded) : loaded_(loaded) {}
  /// Null where there is none: of no recording.
  Result<const trace::Trace*> get();
  /// Whether it was asked for, and is there.
  bool used() const { return trace_.has_value(); }

 private:
  const LoadedTrace& loaded_;
  std::mutex making_;
  std::optional<trace::Trace> trace_;
};
/// What is said where it was used.
inline constexpr const char* kSpareUsed = "the recorded run ended, and at some points its replay does not: there sends are taken as buffered, and receives from any source get the messages that came";

}  // namespace parcast::cli
