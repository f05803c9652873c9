// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads traces: NAME.trace, a recording, GOAL, SimGrid's time-independent traces; or generates them from a
// model.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "machine/machine.h"
#include "trace/from_recording.h"
#include "trace/trace.h"

namespace parcast::cli {

/// Detected from the content of a file or folder, not from its name. GOAL and SimGrid's traces come from
/// other tools.
enum class TraceForm { nothing, recording, trace, goal, time_independent, model };
TraceForm trace_form_of(const std::string& name);

struct LoadedTrace {
  trace::Trace trace;  // has passed check()
  std::vector<std::string> warnings;
  bool partial = false;     // the input is damaged
  std::string recorded_on;  // processor and cores of the machine of the recording; empty: not known
  std::vector<std::int32_t> recorded_node_of;   // node of each rank in the recording; empty: unknown
  std::vector<std::string> mpi_libraries = {};  // of each recording that the trace rests on, as far as known
  std::string recording = {};  // folder of the recording; empty: the trace is not of a recording
  trace::Matching matching = trace::Matching::arrival;  // how that recording was matched
  // GOAL file whose ranks are graphs; `trace` and `warnings` are of the lists made from them. Empty: not a
  // schedule
  std::string schedule = {};
};

/// Loads NAME, or NAME.trace. `matching` and `rehearsed` apply to recordings. `flops_per_second` applies to
/// SimGrid's traces, which give computing in operations; 0: not given.
Result<LoadedTrace> load_trace(const std::string& name, double flops_per_second, Progress& progress,
                               std::optional<trace::Matching> matching = {},
                               trace::Rehearsed rehearsed = trace::Rehearsed::threads);

/// The ratio of computing times to the recorded ones.
struct RecordedComputing {
  double ratio = 1;
  std::string assumption;  // a sentence; empty: the machine is that of the recording, or unknown
};
/// Derives the ratio from the core speeds of `machine` and of the machine that --recorded-on names; 1 if the
/// flag is not given. `otherwise`: flags that change an assumed ratio; the assumption names them.
Result<RecordedComputing> recorded_computing(const Invocation& invocation, const LoadedTrace& loaded,
                                             const machine::Machine& machine,
                                             const std::string& otherwise = "--recorded-on");

/// The run that is requested of a model.
struct RunAsked {
  std::map<std::string, double> parameters;              // without p
  std::int32_t processes = 0;                            // 0: not given
  std::optional<trace::Matching> matching = {};          // for receives from any source in a recording
  std::shared_ptr<const machine::Machine> machine = {};  // prices the operations of a program written by hand
  trace::Rehearsed rehearsed = trace::Rehearsed::threads;
};
/// Reads -p, -s and --matching; -s p=64 is the same as -p 64.
Result<RunAsked> run_asked(const Invocation& invocation);
/// Returns these flags.
const std::vector<Flag>& run_flags();

/// Returns whether the name refers to a model. If both NAME.trace and NAME.model.json exist, a request for a
/// run selects the model.
bool is_model(const std::string& name, bool asked);

/// Returns the trace that a model of that name (NAME or NAME.model.json) generates for the run, or else the
/// trace that load_trace() loads. A run can be requested only of a model.
Result<LoadedTrace> load_or_generate_trace(const std::string& name, const RunAsked& asked,
                                           double flops_per_second, Progress& progress);

}  // namespace parcast::cli
