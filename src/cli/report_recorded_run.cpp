// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/recorded_run.h"
#include "cli/report_file.h"
#include "cli/report_inputs.h"
#include "cli/report_subjects.h"
#include "cli/timeline_views.h"
#include "cli/verbs.h"
#include "patterns/matrix.h"
#include "report/html/page.h"
#include "report/html/run.h"
#include "report/recording_text.h"
#include "trace/from_recording.h"

namespace parcast::cli {
namespace {

using report::html::RunReport;

constexpr std::int32_t kMostRecordedRanks = 4096;  // of a matrix of who sends to whom

/// Returns what the ranks did, in order.
Result<LoadedTrace> trace_of(const RecordedRun& run) {
  PARCAST_ASSIGN(auto made, trace::from_recording(run.recording, trace::Matching::recorded));
  PARCAST_TRY(trace::check(made.trace));
  LoadedTrace out{std::move(made.trace), std::move(made.warnings)};
  out.recorded_on = run.recording.machine_summary;
  out.recording = run.path;
  return out;
}

void add_traffic(const trace::Trace& trace, RunReport& report) {
  if (trace.ranks < 2 || trace.ranks > kMostRecordedRanks) return;
  report.traffic = program::traffic_of_run(trace);
  report.segments = program::message_segments(trace);
}

void find_sources(const std::vector<std::string>& folders, RunReport& report) {
  for (const auto& [call, places] : report::html::places_of_calls(report.recording))
    if (auto found = excerpt(places.front(), folders))
      report.excerpts.emplace(places.front(), *std::move(found));
}

/// Adds the functions of the program that ran.
void find_program(const std::vector<std::string>& folders, RunReport& report) {
  std::vector<std::string> files;
  for (const recording::RankRecording& rank : report.recording.ranks)
    if (files.empty() && !rank.modules.empty()) files = {rank.modules.front().path};
  if (files.empty()) return;
  const auto copies = files_of_program(files.front(), folders);
  files.insert(files.end(), copies.begin(), copies.end());
  report.program = program_file(report.recording.executable_digest, files);
}

/// Adds the predicted timelines: of --simulated, and of the run simulated on the machine of -m.
Result<void> add_predicted(const Invocation& invocation, const Result<LoadedTrace>& trace, Progress& progress,
                           RunReport& report) {
  if (const auto simulated = invocation.value("--simulated")) {
    PARCAST_ASSIGN(const RecordedRun run, load_recorded_run(*simulated, progress));
    report.views.push_back(view_of(run, "simulated, " + *simulated));
    report.views.back().timeline.simulated = true;
  }
  if (!invocation.has("--machine")) return {};
  if (!trace) return trace.error();
  PARCAST_ASSIGN(const std::string named, machine_named(invocation));
  PARCAST_ASSIGN(const machine::Machine machine, load_machine(named));
  PARCAST_ASSIGN(auto view, simulated_view(invocation, *trace, machine, progress));
  report.views.push_back(std::move(view));
  return {};
}

std::vector<std::string> warnings_of(const recording::Recording& recording, const RecordedRun& run,
                                     const Result<LoadedTrace>& trace) {
  std::vector<std::string> out = run.warnings;
  if (recording.oversubscribed())
    out.push_back("more processes than cores: counts are right, times are not those of a free core");
  if (const std::string pathless = report::without_path_text(recording); !pathless.empty())
    out.push_back(pathless);
  if (recording.exit_code != 0)
    out.push_back("the run ended with exit code " + std::to_string(recording.exit_code));
  if (!trace) out.push_back("who sends to whom is not shown: " + trace.error().what);
  return out;
}

}  // namespace

Result<void> check_report_flags(const Invocation& invocation, const std::vector<std::string_view>& allowed,
                                const std::string& subject) {
  for (const Flag& flag : report_verb().flags) {
    if (!invocation.has(flag.name) || std::ranges::find(allowed, flag.name) != allowed.end()) continue;
    return Error{flag.name + " has no effect on the report of " + subject, "", "leave it out"};
  }
  return {};
}

int report_recorded_run(const Invocation& invocation) {
  if (const auto fits = check_report_flags(
          invocation, {"--machine", "--recorded-on", "--simulated", "--source", "--output"},
          "a recorded run");
      !fits)
    return say_error(fits.error()), kUsage;
  Progress progress(invocation);
  auto run = load_recorded_run(invocation.inputs[0], progress);
  if (!run) return say_error(run.error()), kFailed;
  recording::resolve_sites(run->recording);
  RunReport report;
  const auto trace = trace_of(*run);
  if (const auto added = add_predicted(invocation, trace, progress, report); !added)
    return say_error(added.error()), kFailed;
  report.views.push_back(view_of(*run, "recorded"));
  if (trace) add_traffic(trace->trace, report);
  report.warnings = warnings_of(run->recording, *run, trace);
  report.files = {{"recording", run->path, run->recording.digest}};
  if (const auto named = invocation.value("--machine"))
    add_input_file("machine", *named, {"", ".machine.toml"}, report.files);
  report.recording = std::move(run->recording);
  find_sources(source_folders(invocation), report);
  find_program(source_folders(invocation), report);
  report.command = report_command(invocation);
  report.version = PARCAST_VERSION;
  if (invocation.json()) print_result(report::html::timelines_json(report.views) + "\n");
  return write_report(invocation, report.recording.program, report::html::page(document_of(report)),
                      run->partial ? kPartial : kAnswered);
}

}  // namespace parcast::cli
