// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces from whatever holds one: NAME.trace, a recording, GOAL, SimGrid's time-independent traces; or generated from a model.

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

/// What a file or folder holds decides, not its name. GOAL and SimGrid's traces are other tools'.
enum class TraceForm { nothing, recording, trace, goal, time_independent, model };
TraceForm trace_form_of(const std::string& name);

struct LoadedTrace {
  trace::Trace trace;  // has passed check()
  std::vector<std::string> warnings;
  bool partial = false;     // the input is damaged
  std::string recorded_on;  // processor and cores of the machine it was recorded on; empty: not known
  std::vector<std::int32_t> recorded_node_of;  // of each rank where it was recorded; empty: not known
  std::vector<std::string> mpi_libraries = {};  // of each recording that it rests on, as far as known
  std::string recording = {};                   // folder of the recording that it is; empty: it is of none
  trace::Matching matching = trace::Matching::arrival;  // of that
  std::string schedule = {};                    // GOAL file whose ranks are graphs; the trace and all that is said are of lists made of them. Empty: of none
};

/// NAME, or NAME.trace. `matching` and `rehearsed` are for recordings. `flops_per_second` is for SimGrid's traces, whose computing is counted
/// in operations; 0: not given.
Result<LoadedTrace> load_trace(const std::string& name, double flops_per_second, Progress& progress, std::optional<trace::Matching> matching = {},
                               trace::Rehearsed rehearsed = trace::Rehearsed::threads);

/// How long computing takes beside what was recorded.
struct RecordedComputing {
  double ratio = 1;
  std::string assumption;  // a sentence; empty: the machine is the one of the recording, or nobody knows
};
/// By the core speeds of the machine that --recorded-on names and of `machine`; 1 where it names none. `otherwise`: flags that would say more.
Result<RecordedComputing> recorded_computing(const Invocation& invocation, const LoadedTrace& loaded, const machine::Machine& machine, const std::string& otherwise = "--recorded-on");

/// Which run a model is asked for.
struct RunAsked {
  std::map<std::string, double> parameters;  // without p
  std::int32_t processes = 0;                // 0: not given
  std::optional<trace::Matching> matching = {};  // of a recording's receives from any source
  std::shared_ptr<const machine::Machine> machine = {};  // that prices the operations of a written program
  trace::Rehearsed rehearsed = trace::Rehearsed::threads;
};
/// What -p, -s and --matching say; -s p=64 is -p 64.
Result<RunAsked> run_asked(const Invocation& invocation);
/// These flags.
const std::vector<Flag>& run_flags();

/// The trace that a model of that name (NAME or NAME.model.json) gives for the run, or that the name holds as load_trace() says.
/// A run may be asked for of a model only.
Result<LoadedTrace> load_or_generate_trace(const std::string& name, const RunAsked& asked, double flops_per_second, Progress& progress);

}  // namespace parcast::cli
