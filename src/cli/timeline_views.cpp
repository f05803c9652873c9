// SPDX-License-Identifier: Apache-2.0
#include "cli/timeline_views.h"

#include <unistd.h>

#include <algorithm>

#include "cli/predicted_output.h"
#include "interchange/predicted_recording.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"
#include "timeline/from_recording.h"

namespace parcast::cli {
namespace {

/// Returns a quarter of the host's memory, in bytes.
std::uint64_t memory_for_events() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

/// Returns the platform of the machine, as `parcast simulate` has it without further flags.
Result<simulate::Platform> platform_of(const Invocation& invocation, const LoadedTrace& loaded,
                                       const machine::Machine& machine) {
  PARCAST_ASSIGN(simulate::Platform platform, simulate::platform_of(machine, loaded.trace.ranks));
  if (!loaded.recording.empty()) {
    PARCAST_ASSIGN(const RecordedComputing computing, recorded_computing(invocation, loaded, machine));
    platform.compute_ratio =
        static_cast<simulate::Rate>(computing.ratio * static_cast<double>(simulate::kOne) + 0.5);
    if (!computing.assumption.empty()) platform.assumptions.push_back(computing.assumption);
  }
  PARCAST_TRY(simulate::take_measured_collectives(machine, loaded.trace, platform));
  simulate::take_measured_attention(machine, platform);
  return platform;
}

std::string as_sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace

report::html::TimelineView view_of(const RecordedRun& run, const std::string& title) {
  timeline::Clocks clocks{run.line.zero, run.line.is_comparable, {}};
  for (const std::string& warning : run.line.warnings) clocks.notes.push_back(as_sentence(warning));
  return {title, timeline::from_recording(run.recording, clocks)};
}

Result<report::html::TimelineView> simulated_view(const Invocation& invocation, const LoadedTrace& loaded,
                                                  const machine::Machine& machine, Progress& progress) {
  PARCAST_TRY(interchange::PredictedRecording::check_size(loaded.trace, memory_for_events()));
  PARCAST_ASSIGN(const simulate::Platform platform, platform_of(invocation, loaded, machine));
  interchange::PredictedRecording predicted(loaded.trace, platform);
  ProgressOfRun steps(loaded.trace, [&](double part) { progress.show(part, "simulating"); });
  const std::vector<simulate::Observer*> observers{&predicted, &steps};
  PARCAST_ASSIGN(const simulate::Outcome outcome,
                 simulate::simulate(loaded.trace, platform, simulate::Trust::checked, observers));
  progress.clear();
  if (!outcome.waiting.empty())
    return Error{"the simulated run would not end: ranks wait for each other", "",
                 "parcast simulate shows what each rank waits for"};
  predicted.finish();
  report::html::TimelineView view{"simulated on " + machine.name,
                                  timeline::from_recording(predicted.recording(), {{}, true, {}})};
  view.timeline.simulated = true;
  for (const std::string& assumption : platform.assumptions)
    view.timeline.notes.push_back(as_sentence(assumption));
  return view;
}

Result<std::vector<report::html::TimelineView>> asked_views(const Invocation& invocation,
                                                            const predict::Question& question,
                                                            const machine::Machine& machine,
                                                            Progress& progress) {
  std::vector<report::html::TimelineView> out;
  if (const auto name = invocation.value("--simulated")) {
    if (names_recorded_run(*name)) {
      PARCAST_ASSIGN(const RecordedRun run, load_recorded_run(*name, progress));
      out.push_back(view_of(run, "of " + *name));
    } else {
      PARCAST_ASSIGN(const LoadedTrace loaded, load_trace(*name, 0, progress));
      PARCAST_ASSIGN(auto view, simulated_view(invocation, loaded, machine, progress));
      view.title = *name + ", " + view.title;
      out.push_back(std::move(view));
    }
  }
  if (invocation.has("--timeline")) {
    RunAsked asked{question.point.parameters, question.point.processes};
    asked.machine = std::make_shared<machine::Machine>(machine);
    PARCAST_ASSIGN(const LoadedTrace loaded,
                   load_or_generate_trace(invocation.inputs[0], asked, 0, progress));
    PARCAST_ASSIGN(auto view, simulated_view(invocation, loaded, machine, progress));
    for (const std::string& warning : loaded.warnings) view.timeline.notes.push_back(as_sentence(warning));
    out.push_back(std::move(view));
  }
  return out;
}

}  // namespace parcast::cli
