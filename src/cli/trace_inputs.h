// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traces from whatever holds one: NAME.trace, a recording, GOAL, SimGrid's time-independent traces.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/output.h"
#include "trace/trace.h"

namespace parcast::cli {

/// What a file or folder holds decides, not its name. GOAL and SimGrid's traces are other tools'.
enum class TraceForm { nothing, recording, trace, goal, time_independent };
TraceForm trace_form_of(const std::string& name);

struct LoadedTrace {
  trace::Trace trace;  // has passed check()
  std::vector<std::string> warnings;
  bool partial = false;  // the input is damaged
};

/// NAME, or NAME.trace. `flops_per_second` is for SimGrid's traces, whose computing is counted in operations; 0: not given.
Result<LoadedTrace> load_trace(const std::string& name, double flops_per_second, Progress& progress);

}  // namespace parcast::cli
