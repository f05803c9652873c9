// SPDX-License-Identifier: Apache-2.0
#pragma once
// The timelines of a report: of a recorded run, of a simulated one that was written to a file, and of a
// simulation made here.

#include <string>
#include <vector>

#include "cli/recorded_run.h"
#include "cli/trace_inputs.h"
#include "cli/verb.h"
#include "machine/machine.h"
#include "predict/prediction.h"
#include "report/html/timeline.h"

namespace parcast::cli {

report::html::TimelineView view_of(const RecordedRun& run, const std::string& title);

/// Simulates the trace on the machine, message by message. Fails when ranks would wait for ever, and when the
/// run is too long to hold.
Result<report::html::TimelineView> simulated_view(const Invocation& invocation, const LoadedTrace& loaded,
                                                  const machine::Machine& machine, Progress& progress);

/// Returns the views that the flags of a prediction's report ask for: --simulated RUN, and with --timeline
/// the run of the question, simulated.
Result<std::vector<report::html::TimelineView>> asked_views(const Invocation& invocation,
                                                            const predict::Question& question,
                                                            const machine::Machine& machine,
                                                            Progress& progress);

}  // namespace parcast::cli
