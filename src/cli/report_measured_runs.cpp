// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/report_subjects.h"
#include "cli/runs_table.h"
#include "cli/why.h"
#include "recording/recording.h"
#include "report/html/page.h"
#include "report/html/reasons.h"

namespace parcast::cli {
namespace {

/// Returns the name of the program of the runs: of the first recording, or of the table.
std::string recorded_program(const std::string& input) {
  if (const auto recording = recording::read_recording(input)) return recording->program;
  return std::filesystem::path(input).stem().string();
}

void add_files(const Invocation& invocation, std::vector<report::html::InputFile>& files) {
  for (const std::string& input : invocation.inputs) {
    if (const auto recording = recording::read_recording(input))
      files.push_back({"recording", input, recording->digest});
    else
      add_input_file("measured runs", input, {""}, files);
  }
}

}  // namespace

int report_measured_runs(const Invocation& invocation) {
  if (const auto fits = check_report_flags(invocation, {"--processes", "--param", "--candidate", "--output"},
                                           "measured runs");
      !fits)
    return say_error(fits.error()), kUsage;
  const auto asked = asked_from(invocation);
  if (!asked) return say_error(asked.error()), kUsage;
  auto runs = load_runs(invocation.inputs, invocation.values("--candidate"));
  if (!runs) return say_error(runs.error()), kFailed;
  auto reasons = reasons_of(std::move(*runs), *asked);
  if (!reasons) return say_error(reasons.error()), kFailed;
  report::html::ReasonsReport report{recorded_program(invocation.inputs[0]), std::move(*reasons), {}, "", ""};
  add_files(invocation, report.files);
  report.command = report_command(invocation);
  report.version = PARCAST_VERSION;
  return write_report(invocation, report.program, report::html::page(document_of(report)), kAnswered);
}

}  // namespace parcast::cli
