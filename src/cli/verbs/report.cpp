// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/compare_variants.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/recorded_run.h"
#include "cli/report_file.h"
#include "cli/report_inputs.h"
#include "cli/report_page.h"
#include "cli/report_subjects.h"
#include "cli/store_actions.h"
#include "cli/timeline_views.h"
#include "cli/unanswered.h"
#include "cli/verbs.h"
#include "explain/explain.h"
#include "report/html/page.h"

namespace parcast::cli {
namespace {

using report::html::Report;

void add_files(const Invocation& invocation, const std::string& machine, Report& report) {
  add_input_file("model", invocation.inputs[0], {"", ".model.json", ".program"}, report.files);
  add_input_file("machine", machine, {"", ".machine.toml"}, report.files);
  if (const auto recorded = invocation.value("--recorded-on"))
    add_input_file("machine of the recordings", *recorded, {"", ".machine.toml"}, report.files);
  if (const auto runs = invocation.value("--against"))
    add_input_file("measured runs", *runs, {""}, report.files);
}

/// Returns the report without its charts over p; the exit code instead when there is no answer.
Result<Report> answered(const Invocation& invocation, const predict::Engine& engine,
                        const predict::Question& question, const std::string& named,
                        const program::Model& model) {
  Report report;
  PARCAST_ASSIGN(report.machine, load_machine(named));
  PARCAST_ASSIGN(report.model, with_costs(invocation, model, report.machine));
  PARCAST_ASSIGN(report.prediction, engine.predict(report.model, report.machine, question));
  if (report.prediction.hang) return report;
  PARCAST_ASSIGN(report.explanation, explain::explain(report.model, report.machine, question));
  explain::take_answer(report.model, report.machine, report.prediction, report.explanation);
  for (predict::Warning& warning : calibration_warnings(report.machine, question.recorded_machine.get()))
    report.prediction.warnings.push_back(std::move(warning));
  report.version = PARCAST_VERSION;
  report.command = report_command(invocation);
  add_files(invocation, named, report);
  return report;
}

/// Fails on flags of other subjects.
Result<void> check_flags_of_prediction(const Invocation& invocation) {
  std::vector<std::string_view> allowed;
  for (const Flag& flag : question_flags()) allowed.push_back(flag.name);
  for (const char* name :
       {"--engine", "--vary", "--against", "--timeline", "--simulated", "--source", "--output"})
    allowed.emplace_back(name);
  return check_report_flags(invocation, allowed, "a prediction");
}

int report_prediction(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (const auto fits = check_flags_of_prediction(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto engine = engine_from(invocation);
  if (!engine) return say_error(engine.error()), kUsage;
  const auto model = load_model(invocation.inputs[0]);
  if (!model) return say_error(model.error()), kFailed;
  const auto question = question_from(invocation, *model);
  if (!question) return say_error(question.error()), kUsage;
  const auto named = machine_named(invocation);
  if (!named) return say_error(named.error()), kUsage;
  const auto processes = charted_processes(invocation, *model, question->point.processes);
  if (!processes) return say_error(processes.error()), kUsage;
  auto measured = measured_runs(invocation, *model, question->point);
  if (!measured) return say_error(measured.error()), kFailed;
  auto report = answered(invocation, **engine, *question, *named, *model);
  if (!report) return say_error(report.error()), kFailed;
  if (report->prediction.hang) return deliver_hang(invocation, report->prediction, *look);
  report->measured = std::move(measured->runs);
  if (measured->elsewhere > 0)
    report->unscaled.push_back("Runs of " + *invocation.value("--against") +
                               " with other parameters than the question's are not drawn: " +
                               std::to_string(measured->elsewhere) + ".");
  Progress progress(invocation);
  complete_report(*report, **engine, *processes, source_folders(invocation),
                  [&](double done) { progress.show(done, "report"); });
  progress.clear();
  std::vector<std::string> folders = source_folders(invocation);
  folders.push_back(std::filesystem::path(invocation.inputs[0]).parent_path());
  report->program = program_file(model->executable_digest, files_of_program(model->program, folders));
  auto views = asked_views(invocation, *question, report->machine, progress);
  if (!views) return say_error(views.error()), kFailed;
  report->views = *std::move(views);
  if (invocation.json()) print_result(report->live.data.empty() ? "{}\n" : report->live.data + "\n");
  return write_report(invocation, report->prediction.program, report::html::page(*report),
                      exit_code_of(report->prediction.warnings));
}

bool names_table(const std::string& name) {
  return name.ends_with(".csv");
}

int run_report(const Invocation& invocation) {
  const std::vector<std::string>& inputs = invocation.inputs;
  if (inputs.empty() && invocation.has("--store")) return report_stored_runs(invocation);
  if (inputs.empty())
    return say_error({"nothing is named to report", "",
                      "name a model, a recording, a table of measured runs, or a store: parcast report -h"}),
           kUsage;
  const bool is_model = names_model(inputs[0]);
  if (!is_model && (names_table(inputs[0]) || (names_recorded_run(inputs[0]) && inputs.size() > 1)))
    return report_measured_runs(invocation);
  if (!is_model && names_recorded_run(inputs[0])) return report_recorded_run(invocation);
  if (!is_model && kind_of(inputs[0]) == "a machine") return report_machines(invocation);
  if (inputs.size() > 1)
    return say_error({"one model is reported at a time, and " + std::to_string(inputs.size()) + " are named",
                      "", "several recordings of a program make one page: name recordings only"}),
           kUsage;
  return report_prediction(invocation);
}

}  // namespace

const Verb& report_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "report",
        .summary =
            "a prediction, a recorded run, measured runs, a machine or a store's runs as one HTML file",
        .inputs = "M.model.json | R.recording... | RUNS.csv | X.machine.toml [Y.machine.toml] | --store URL",
        .fewest_inputs = 0,
        .most_inputs = 1000,
        .flags = question_flags(),
        .examples =
            {"parcast report shallow_water -m here -p 16 -s N=4096 -s steps=1000 -o water.html",
             "parcast report lj -m cluster -p 64 -s steps=2000 --against runs.csv",
             "parcast report lj -m cluster -p 64 -s steps=2000 --vary p=1,2,4,...,256 --source ../src",
             "parcast report lj -m cluster -p 8 -s steps=20 --timeline",
             "parcast report lmp-1.recording -o run.html",
             "parcast report lmp-1.recording -m cluster -o predicted_above_recorded.html",
             "parcast report lmp-1.recording lmp-2.recording lmp-3.recording -o causes.html",
             "parcast report here.machine.toml cluster.machine.toml -o machines.html",
             "parcast report --store parcast.db --program lmp -p 2.. -o runs.html"},
        .notes =
            {"The file needs no other file and no network. It is readable without JavaScript.",
             "Of a recording (or an archive of OTF2): where its time went, who sends to whom, imbalance, and "
             "its timeline; with -m the run simulated there above the recorded one.",
             "Of several recordings, or a table of phases as parcast explain --why takes it: overheads and "
             "their causes.",
             "Of a machine, or two over each other: what communication and memory cost, measured and fitted.",
             "With --store and no input: the runs that -m, -p, -s and the flags of parcast store choose, "
             "with their predictions.",
             "--json prints the data of sliders or of the timeline (docs/formats/report_page.md)."},
        .run = run_report};
    v.flags.push_back(engine_flag());
    v.flags.push_back({"--vary", 0, "p=LIST",
                       "process counts of the charts (default: powers of two up to 4 times the asked one)",
                       true});
    v.flags.push_back(
        {"--against", 0, "RUNS.csv",
         "measured runs, a row each with p, seconds and parameters, to draw with the prediction"});
    v.flags.push_back({"--timeline", 0, "", "of a model: simulate the run that is asked for, and draw it"});
    v.flags.push_back(
        {"--simulated", 0, "RUN",
         "a simulated run to draw: an archive of parcast simulate --to, or a trace to simulate on -m"});
    v.flags.push_back({"--candidate", 0, "NAME", "of a table of phases: a column that may be a cause", true});
    v.flags.push_back({"--source", 0, "DIR",
                       "folder with the program's source, to show lines of (default: the current one)",
                       true});
    v.flags.push_back({"--output", 'o', "FILE.html", "file to write (default: PROGRAM.html)"});
    v.flags.push_back(store_flag());
    for (const Flag& flag : query_flag_list())
      if (flag.letter == 0) v.flags.push_back({flag.name, 0, flag.value, "of a store: runs " + flag.help});
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
