// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_attempts.h"

#include <algorithm>
#include <utility>

#include "report/hang_text.h"
#include "trace/from_recording.h"

namespace parcast::cli {
namespace {

using trace::Matching;

bool is_send(const trace::Operation& operation) {
  return operation.kind == trace::Kind::send || operation.kind == trace::Kind::start_send;
}

/// Describes what the first of the waiting ranks waits for.
std::string wait_text(const trace::Trace& trace, const trace::Waiting& waiting) {
  const std::uint32_t operation =
      waiting.for_operations.empty() ? waiting.operation : waiting.for_operations.front();
  return "rank " + std::to_string(waiting.rank) + " in " +
         report::operation_text(trace, waiting.rank, operation);
}

}  // namespace

bool buffer_sends(trace::Trace& trace) {
  bool any = false;
  for (trace::Operation& each : trace.operations) {
    if (!is_send(each) || each.mode == trace::Mode::buffered) continue;
    each.mode = trace::Mode::buffered;
    any = true;
  }
  return any;
}

/// Orders the attempts. The first ones keep the most of the simulated run: messages match in the order of
/// simulated arrival, and the machine's handshakes stay.
void ReplayAttempts::plan() {
  left_.emplace();
  if (leaves_open(loaded_.trace)) *left_ = {{Matching::recorded, true}, {Matching::recorded, false}};
  left_->push_back({loaded_.matching, true});
  left_->push_back({loaded_.matching, false});
}

Result<bool> ReplayAttempts::try_again(std::span<const trace::Waiting> waiting, const std::string& machine) {
  if (loaded_.recording.empty() || waiting.empty()) return false;
  if (!left_) {
    first_wait_ = wait_text(loaded_.trace, waiting.front());
    machine_ = machine;
    plan();
    PARCAST_ASSIGN(recording_, recording::read_recording(loaded_.recording));
    recording::resolve_sites(*recording_);
  }
  loaded_.partial = true;
  while (!left_->empty()) {
    const Attempt attempt = left_->back();
    left_->pop_back();
    PARCAST_ASSIGN(const bool is_another, begin(attempt));
    if (is_another) return true;
  }
  loaded_.warnings.insert(
      loaded_.warnings.begin(),
      "the recorded run ended, and its replay does not; why is not known (first waits " + first_wait_ + ")");
  return false;
}

/// Returns false if the attempt gives the same trace as the one before.
Result<bool> ReplayAttempts::begin(const Attempt& attempt) {
  PARCAST_ASSIGN(trace::FromRecording made,
                 trace::from_recording(*recording_, attempt.matching, trace::Rehearsed::all));
  PARCAST_TRY(trace::check(made.trace));
  std::vector<std::string> said = made.missing;
  if (attempt.matching != loaded_.matching)
    said.push_back("the recorded run ended, and with the messages that arrive first on " + machine_ +
                   " its replay does not (first waits " + first_wait_ +
                   "): receives from any source get those that came in the recording");
  if (attempt.buffered) {
    if (!buffer_sends(made.trace)) return false;
    said.push_back("the recorded run ended, and with the eager limit of " + machine_ +
                   " its replay does not (first waits " + first_wait_ + "): sends are taken as buffered");
  }
  if (said.empty()) return false;
  loaded_.trace = std::move(made.trace);
  loaded_.warnings = std::move(said);
  loaded_.warnings.insert(loaded_.warnings.end(), warnings_.begin(), warnings_.end());
  return true;
}

Result<const trace::Trace*> SpareTrace::get() {
  if (loaded_.recording.empty()) return nullptr;
  const std::lock_guard lock(making_);
  if (trace_) return &*trace_;
  PARCAST_ASSIGN(recording::Recording recording, recording::read_recording(loaded_.recording));
  recording::resolve_sites(recording);
  PARCAST_ASSIGN(trace::FromRecording made,
                 trace::from_recording(recording, Matching::recorded, trace::Rehearsed::all));
  PARCAST_TRY(trace::check(made.trace));
  buffer_sends(made.trace);
  return &trace_.emplace(std::move(made.trace));
}

}  // namespace parcast::cli
