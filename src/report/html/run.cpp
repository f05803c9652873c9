// SPDX-License-Identifier: Apache-2.0
#include "report/html/run.h"

#include "base/text.h"
#include "report/html/excerpts.h"
#include "report/html/files.h"
#include "report/html/markup.h"

namespace parcast::report::html {
namespace {

std::string question_of(const recording::Recording& recording) {
  return counted(recording.processes, "process") +
         (recording.parameters.empty() ? "" : ", " + parameters_text(recording.parameters)) +
         (recording.started.empty() ? "" : ", started " + recording.started);
}

std::string warnings_of(const RunReport& report) {
  std::string items;
  for (const std::string& warning : report.warnings) items += "<li>" + text(warning) + "</li>\n";
  return items.empty() ? "" : element("ul", "warnings", items);
}

std::string sources_of(const RunReport& report) {
  return excerpts_html(report.excerpts);
}

}  // namespace

Document document_of(const RunReport& report) {
  Document out;
  out.name = report.recording.program;
  out.of = report.recording.machine_summary.empty() ? "" : "on " + report.recording.machine_summary;
  out.question = question_of(report.recording);
  out.sections = {
      {"run", "Run", run_summary(report)},
      {"timeline", "Timeline", timelines(report.views)},
      {"regions", "Regions", run_regions(report) + sources_of(report)},
      {"ranks", "Ranks", run_ranks(report)},
      {"calls", "Calls", run_calls(report)},
      {"callgraph", "Call graph", call_graph(report.program)},
      {"communication", "Communication", run_communication(report)},
      {"phases", "Phases", run_phases(report)},
      {"usage", "Memory and processor", run_usage(report)},
      {"warnings", "Warnings", warnings_of(report)},
      {"provenance", "Provenance", provenance_html(report.version, "", report.command, report.files)}};
  if (std::string json = timelines_json(report.views); !json.empty())
    out.data.emplace_back("timeline-data", std::move(json));
  return out;
}

}  // namespace parcast::report::html
